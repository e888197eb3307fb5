"""Text to terms: the one tokeniser, for what is stored and for what is asked. Hot.

A term is a lower-case stem of a word or an identifier, a part of an identifier
(`refresh_token` gives refresh_token, refresh, token; camelCase alike), or what stands for a word
where spaces do not part them: Chinese, Japanese and Korean (see cjk.py).
"""

import re

# Runs without spaces: kana, CJK ideographs with extension A and compatibility forms, Hangul.
CJK = "\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
# Strings, not compiled patterns: `re` compiles them at first use, and most hooks use few.
_WORD = r"\w+"
_CJK_RUN = "[" + CJK + "]+"
_PART = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+"

LONGEST = 64  # characters of a term; longer ones (base64, minified code) are cut, not dropped
ASKED_HEAD, ASKED_TAIL = 6_000, 2_000  # characters of a prompt that are looked at

STOP = frozenset(
    """
    a about above after again against all also am an and any are aren as at be because been before
    being below between both but by can cannot could couldn did didn do does doesn doing don done
    down during each either else etc ever every few for from further get gets getting give given go
    goes going gone got had hadn has hasn have haven having he her here hers him his how however i
    if in into is isn it its itself just kind know last least less let lets like ll lot made make
    makes many may maybe me might mine more most much must my myself need needs neither never next
    no none nor not nothing now of off often ok okay on once one only onto or other others our ours
    out over own per perhaps please put quite rather re really s same see seem seems shall she
    should shouldn since so some something still such sure t take takes than thank thanks that the
    their theirs them then there these they thing things this those though through thus to too
    toward try trying two under until up upon us use used using ve very via want wants was wasn way
    we well were weren what when where whether which while who whom whose why will with within
    without won would wouldn yes yet you your yours yourself
    """.split()
)

# Words so usual between people and coding agents that sharing one says little. The figure is the
# share of texts one expects to hold them, used beside the store's own counts: in a young store these
# counts know nothing yet.
USUAL_SHARE = 0.08
USUAL = frozenset(
    """
    able add again ahead already always another answer app application argument around back best
    better big bit both bring bug build call case change check class clean clear close code come
    command commit complete config continue correct correctly create current currently data default
    delete describe detail different directory doc document ensure error everything example exist
    expect explain explore fail feature field file find first fix folder follow function good great
    handle help implement import improve include input instead issue keep language line list load
    long look main method miss module move name new nice number object old open option order output
    package parameter part path place plan point possible print problem proceed program project
    properly question read refactor remove rename replace repo repository request result return
    review right run save script second seems send server set setting setup short show simple small
    source start state step stop string summarize summary support system task tell test tests text
    time today tool type update user value variable version view work write wrong
    """.split()
)


def stem(word):
    """A rough English stem (plural, -ed, -ing, final e). Words with digits or `_` stay."""
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("xes", "ches", "shes", "sses")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if word.endswith("e") and len(word) > 4:
        word = word[:-1]
    return word


USUAL_STEMS = frozenset(map(stem, USUAL)) - STOP


# Words that steer the conversation itself. A short prompt of nothing but these and the usual ones ("commit
# this", "sounds good", "run the tests again") asks for no memory, whatever the store holds.
TALK = frozenset(
    """
    abort accept agree amend apologies approve assume awesome bad beautiful begin believe bet branch
    break brief briefly bye careful carefully cheers clarify cool day detailed diff done double edit
    elaborate end english enough even excellent execute exactly far fantastic fine finish finished
    format forget friend guess hand happy hello help hey hi hint hmm hold hope hour idea ignore
    instruction interesting job last later leave left lgtm lint linter little longer maybe merge message
    minute moment morning nah nevermind night nope ones otherwise part pass pause perfect pick please pr
    pretty progress proper pull push quick quickly ready rebase recap redo reject remaining repeat reply
    resume restart retry revert rewrite second session shorter shorten simpler skip slow soon sorry
    sound squash stage statement status stay stuff suggest sum summarise summary sure temporary think
    thought tidy tomorrow touch true turn understand understood undo verify wait welcome well wonderful
    word wow yeah yep yesterday yup
    """.split()
)
_TALK_CJK = """
    はい いいえ お願いします ありがとうございます 了解です 続けてください 続きを進めてください
    次へ進んでください 先に進んで もう一度やってみて やり直してください 戻してください 止めて 待って
    コミットしてください プッシュしてください テストを実行して 確認してください 要約してください
    説明してください 直してください 大丈夫です いいですね 好的 是的 不是 谢谢 謝謝 继续 繼續 提交吧 推送
    运行测试 運行測試 再检查一遍 再檢查一遍 再试一次 重试 停一下 先停一下 等一下 撤销 下一步 开始吧 可以
    没问题 总结一下 解释一下 确认 对的 行 네 아니요 계속 계속해 주세요 감사합니다 좋아요 커밋해 주세요
    테스트 실행해 주세요 다시 해 주세요 멈춰 확인해 주세요
"""

_made = {}  # word -> its terms: a text repeats its words, and an import repeats its texts
_MADE_LIMIT = 50_000


def terms(text):
    """All terms of a text, in order, with repeats; stop words left out."""
    cjk = None
    if not text.isascii():
        import unicodedata  # a C module; only texts beyond ASCII pay for it and the next

        from foreword.text import cjk

        text = unicodedata.normalize("NFKC", text)
    if len(_made) > _MADE_LIMIT:
        _made.clear()
    found = []
    for word in re.findall(_WORD, text):
        if word.isascii():
            made = _made.get(word)
            if made is None:
                _latin(word, made := [])
                _made[word] = made
            found += made
            continue
        at = 0
        for run in re.finditer(_CJK_RUN, word):
            if run.start() > at:
                _latin(word[at : run.start()], found)
            found += cjk.terms_of_run(run.group()) if cjk else ()
            at = run.end()
        if at < len(word):
            _latin(word[at:], found)
    return found


def _latin(word, found):
    lower = word.lower()
    bare = lower.strip("_")
    if not bare or bare in STOP or (len(bare) == 1 and not bare.isdigit()):
        return
    found.append(stem(bare)[:LONGEST])
    if len(lower) <= LONGEST and ("_" in lower or (lower != word and word[1:] != lower[1:])):
        parts = re.findall(_PART, word)
        if len(parts) > 1:
            for part in parts:
                part = part.lower()
                if len(part) > 1 and part not in STOP:
                    found.append(stem(part))


def asked_part(prompt):
    """The head and the tail of a long prompt: people write what they want before or after what they
    paste, and a prompt of 10 MB must cost what one of 8 KB does."""
    if len(prompt) <= ASKED_HEAD + ASKED_TAIL:
        return prompt
    return prompt[:ASKED_HEAD] + "\n" + prompt[-ASKED_TAIL:]


def talk(scripts):
    """The terms of which prompts are made that only steer; a new set. `scripts`: in Chinese, Japanese and
    Korean, else in English."""
    return set(terms(_TALK_CJK) if scripts else map(stem, TALK))
