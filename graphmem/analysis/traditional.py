"""Chinese in traditional characters, read as what it says in simplified ones: rules and words know only those.

Nothing that is stored or shown goes through here: a text is compared in this form and kept as it was written.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_REGIONAL = {
    "记忆体": "内存",
    "阵列": "数组",
    "字串": "字符串",
    "栏位": "字段",
    "资料": "数据",
    "档案": "文件",
    "使用者": "用户",
    "伺服器": "服务器",
    "网路": "网络",
    "逾时": "超时",
    "连线": "连接",
    "磁碟": "磁盘",
    "硬碟": "硬盘",
    "快取": "缓存",
    "回传": "返回",
    "传回": "返回",
    "预设": "默认",
    "程式": "程序",
    "函式": "函数",
    "变数": "变量",
    "介面": "接口",
    "伫列": "队列",
    "执行绪": "线程",
    "回圈": "循环",
    "权杖": "令牌",
    "金钥": "密钥",
    "物件": "对象",
    "设定": "设置",
}
"""What engineers in Taiwan call it, in simplified characters, and the word of the mainland."""
_REGIONAL_WORD = re.compile("|".join(_REGIONAL))


def simplified(text: str) -> str:
    """The text in simplified characters, one for one: every place in it is the same place in `text`."""
    return text if text.isascii() else text.translate(_table())


def mainland(text: str) -> str:
    """The text in simplified characters and in the mainland's words for a file, an array, memory and so on.

    Words are changed only where characters were: 资料 and 档案 are words of the mainland too, and mean other things.
    """
    plain = simplified(text)
    return text if plain == text else _REGIONAL_WORD.sub(lambda word: _REGIONAL[word[0]], plain)


@cache
def _table() -> dict[int, str]:
    lines = files(__package__).joinpath("traditional.txt").read_text(encoding="utf-8").splitlines()
    families = (word for line in lines if not line.startswith("#") for word in line.split())
    return {ord(variant): family[0] for family in families for variant in family[1:]}
