"""The knowledge graph in a browser: types, search, one entity with its relations, what is odd."""

import os

from playwright.sync_api import expect

from browser import sample, sample_texts


def entities(tab):
    return tab.page.get_by_role("list", name="Entities").get_by_role("listitem")


def test_entities_are_filtered_by_type(month, look):
    tab = look(month, "/graph")
    expect(entities(tab)).to_have_count(sum(map(len, sample_texts.ENTITIES.values())))
    tab.page.get_by_role("navigation", name="Types").get_by_role("link", name="database").click()
    expect(entities(tab)).to_have_count(len(sample_texts.ENTITIES["database"]))
    expect(tab.page.locator("[aria-current=true]")).to_contain_text("database")


def test_a_search_by_keyboard_leads_to_an_entity_and_its_neighbours(month, look):
    tab = look(month, "/graph")
    tab.page.keyboard.press("/")
    expect(tab.page.get_by_role("searchbox")).to_be_focused()
    tab.page.keyboard.type("session-cache")
    tab.page.keyboard.press("Enter")
    expect(entities(tab).first).to_contain_text("session-cache")
    tab.page.get_by_role("link", name="session-cache", exact=True).focus()
    tab.page.keyboard.press("Enter")
    expect(tab.page.locator("h1")).to_have_text("session-cache")
    tab.page.get_by_role("list", name="Relations").get_by_role("link", name="shop").click()
    expect(tab.page.locator("h1")).to_have_text("shop")


def test_a_drawn_neighbour_leads_to_it(month, look):
    tab = look(month, "/graph/entity?name=shop")
    tab.page.locator("svg.relations a").filter(has_text="payments").click()
    expect(tab.page.locator("h1")).to_have_text("payments")


def test_an_entity_has_its_observations_and_what_was_archived(month, look):
    tab = look(month, "/graph/entity?name=shop")
    expect(
        tab.page.get_by_role("list", name="Observations", exact=True).get_by_role("listitem")
    ).to_have_count(3)
    archived = tab.page.get_by_role("list", name="Archived observations").get_by_role("listitem")
    expect(archived).to_have_count(5)
    expect(archived.first).to_contain_text("release 2.1.0 went out")
    expect(tab.page.get_by_role("main")).to_contain_text(os.path.join("graph", "archive", "shop.md"))


def test_what_is_odd_stands_with_what_to_do(month, look):
    tab = look(month, "/graph")
    main = tab.page.get_by_role("main")
    expect(main).to_contain_text("1 line of the graph's file cannot be read")
    main.get_by_role("link", name="What is odd").click()
    expect(main).to_contain_text("2 findings")
    main.get_by_role("link", name=sample_texts.DANGLING[1]).click()
    expect(main).to_contain_text("No entity has this name")


def test_a_file_that_is_no_file_is_told_and_not_hidden(views, look):
    view = views(sample.empty)
    os.makedirs(os.path.join(view.sample.home, "graph", "memory.jsonl"))
    tab = look(view, "/graph")
    expect(tab.page.get_by_role("main")).to_contain_text("is no regular file")
