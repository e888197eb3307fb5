"""Chinese, Japanese and Korean text to terms: what stands in for words where no space parts them. Hot.

A run is a stretch of kana, ideographs and Hangul without anything else in it. It is cut where the
script changes, since Japanese words begin and end there, and each piece is paired up: no
dictionary, no model. Texts come here in normal form C or KC (`words.terms` sees to it), so that
half-width katakana are full-width already.
"""

import re

# Katakana; hiragana; ideographs and Hangul. Strings, not compiled patterns: `re` compiles them at first use,
# and most hooks use none. A range as wide as Hangul would take 0.4 ms to compile, these take 0.1.
_PIECES = "([\u30a1-\u30ff]+)|([\u3041-\u30a0]+)|[^\u3041-\u30ff]+"
_HANGUL = "\uac00"  # and what follows
_HIRAGANA = "[\u3041-\u309f]+"

LONGEST = 16  # characters of a katakana word that is kept whole; longer ones are several words in one

# How a katakana word sounds to English ears is a term too: this mark, which no word begins with, and its
# consonants. Shorter ones say nothing.
HEARD, HEARD_LEAST = "^", 3
_VOWELS = "アイウエオヤユヨワヲ"  # a word that begins with one is marked so: `a`
_CONSONANTS = {
    "k": "カキクケコヵヶ", "g": "ガギグゲゴ", "s": "サシスセソザジズゼゾチヂ",
    "t": "タツテト", "d": "ダヅデド", "n": "ナニヌネノン", "h": "ハヒヘホ", "f": "フ",
    "b": "バビブベボヴ", "p": "パピプペポ", "m": "マミムメモ", "r": "ラリルレロ",
}  # fmt: skip
_heard = {}  # character -> consonant; filled at first use

# Pairs of characters that hold grammar and no matter: the stop words of these scripts.
STOP = frozenset(
    """
    する した して しま ます まし です でし でき きる なる いる いま され れる れて られ てい いて ある ない
    こと もの ため よう から まで より など この その あの どの これ それ とし しい くだ ださ さい せん ませ
    には では とは ので のに しょ ょう うか たり たい るの るた めに うに とき とも ての たち すか どう うし
    って よっ よる にす にな をす るこ とが あり ると なっ った
    我们 你们 他们 这个 那个 这些 那些 这样 什么 怎么 如何 为什 可以 一个 一些 如果 因为 所以 但是 或者 以及
    并且 然后 就是 不是 是否 請問 请问 這個 那個 我們 你們 這些 什麼 怎麼 為什 可以 一個
    입니 니다 습니 합니 하는 하고 에서 으로 있는 있습 하여 니까 세요
    """.split()
)

# Particles: a kanji behind one of these begins a new word, behind any other kana it may end the last.
_PARTICLES = "のをにはがでとへもやか"


def terms_of_run(run):
    """The terms of one run, in order, with repeats.

    Neighbouring characters in pairs within one script; a katakana word also whole, without the long
    mark at its end that some write and some do not, and by its sound; each ideograph also alone; two
    ideographs with one or two kana between them also as if those were left out, so that 読み込む meets 読込.
    A hiragana character alone is a particle and no term, and neither are the pairs of STOP.
    """
    found = []
    before = between = ""  # the ideograph that may go with the next one, and the kana in between
    for piece in re.finditer(_PIECES, run):
        text = piece.group()
        script = piece.lastindex  # 1 katakana, 2 hiragana, None ideographs and Hangul
        if script == 2:
            between = text
        elif script == 1:
            before = between = ""
            if len(text) > 3 and text[-1] == "ー":
                text = text[:-1]
            if 2 < len(text) <= LONGEST:
                found.append(text)
                if len(sound := heard(text)) >= HEARD_LEAST:
                    found.append(HEARD + sound)
        else:
            if before and 0 < len(between) < 3 and between[0] not in _PARTICLES:
                found.append(before + text[0])
            before, between = text[-1], ""
            if len(text) > 1:
                found += [character for character in text if character < _HANGUL]
        if len(text) == 1:
            if script != 2:
                found.append(text)
            continue
        for i in range(len(text) - 1):
            if (pair := text[i : i + 2]) not in STOP:
                found.append(pair)
    return found


def heard(word):
    """The consonants of a katakana word: トランジション gives trnssn, as does `transition`."""
    if not _heard:
        _heard.update((kana, consonant) for consonant, row in _CONSONANTS.items() for kana in row)
    if len(word) > 4 and word.endswith("ング"):  # English stems have lost their -ing
        word = word[:-2]
    return ("a" if word[0] in _VOWELS else "") + "".join([_heard.get(kana, "") for kana in word])


def weight(term):
    """What an asked term of these scripts counts for: 1.0 a pair of ideographs or a whole word, less else.

    Hiragana is mostly grammar; a long katakana word would count once for each of its pairs; an
    ideograph alone repeats what its pairs say. A sound is there for prompts in English, and counts nothing
    here. Figures: docs/cjk.md.
    """
    if term[0] == HEARD:
        return 0.0
    if len(term) == 1:
        return 0.5
    if len(term) == 2:
        if "\u30a1" <= term[0] <= "\u30ff":
            return 0.5
        if re.fullmatch(_HIRAGANA, term):
            return 0.3
    return 1.0
