"""Words by which a user calls an answer wrong or right, in English and Chinese.

Every pattern is held against one sentence whose quotations are masked; most begin at its start and name what is
called wrong, so that a task about wrong things ("find the wrong entries") is not taken for a correction.
"""

from __future__ import annotations

import re

_LEAD = r"^(?:(?:h+m+|um+|uh|well|ok(?:ay)?|sorry|please|but|and|so|i think|i believe|to be clear)[\s,.!]+)*"
_THING = (
    r"(?:that|this|it|these|those|which|(?:the|your|that|this)(?: \w+){1,3})"
    r"(?:'s|\s?s(?= )| is| was| are| were|'re| looks?| seems?)?"
)
_BAD = r"(?:wrong|incorrect|false|off|mistaken|not (?:quite )?(?:right|correct|true|what i)|a (?:mistake|wrong \w+))"

EN_REJECTION = re.compile(
    rf"{_LEAD}(?:"
    r"no+(?:[\s,]+no+)*\s*+(?:[,.!;:]++|-)\s*+(?!thanks|thank you|problem|worries|need|"
    r"that'?s (?:fine|all|ok|right|good|correct)|it'?s (?:fine|ok|good))"
    r"|no+(?:[\s,]+no+)*\s*[.!]*$"
    r"|no,? that'?s|no that'?s|nope\b|nah\b"
    r"|(?:still |again |simply )?(?:wrong|incorrect|false)(?: again)?\s*(?:[,.!:;]|$)"
    r"|(?:that'?s |still )?not (?:quite|right|correct|true)\b"
    r"|wrong (?:file|table|column|place|one|way|branch|version|answer|\w+)\s*(?:[,.!:;]|$)"
    r"|bad (?:answer|result|output)\b"
    rf"|{_THING} (?:still |also |completely |totally |just )*{_BAD}\b"
    r"|(?:that|this|it|which) (?:isn'?t|wasn'?t|is not|was not|can'?t be|"
    r"cannot be) (?:quite )?(?:right|correct|true|what i)\b"
    r"|(?:that|this|it)(?:'s| is) the (?:old|wrong|other) \w+"
    r"|there(?:'s| is) (?:a|an) (?:mistake|error|bug) in your\b"
    r"|(?:that|this|it)(?: still)? (?:doesn'?t|does not|didn'?t|did not) (?:work|help|compile|run)\b"
    r"|(?:it|this|that) still (?:fails|crashes|breaks|throws|returns the (?:wrong|same))\b"
    r"|you(?:'re| are) (?:still )?(?:wrong|mistaken)\b|you(?:'ve| have)? (?:got|get) (?:that|it|"
    r"this|\w+ \w+) wrong\b|you got it wrong\b"
    r"|you(?:'ve| have)? (?:made (?:a|an) (?:mistake|error)|misunderstood|misread|forgot|forgotten|"
    r"ignored|mixed up|swapped|missed|skipped|confused)\b"
    r"|you (?:didn'?t|did not|never) (?!know\b)\w+"
    r"|(?:undo|revert) (?:that|this|it)\b|change (?:it|that|this) back\b"
    r"|correction\s*:|correct (?:that|this|it)\b"
    r")",
    re.IGNORECASE,
)
EN_REPLACEMENT = re.compile(
    rf"{_LEAD}(?:"
    r"i (?:meant|asked for|said|wanted)\b.{0,80}(?:\bnot\b|\binstead\b|!)"
    r"|i (?:don'?t|did ?n[o']t|do not) want\b.{1,60}\bi want\b"
    r"|(?:the|your) (?:correct|right|actual|real) \w+ (?:is|was|would be)\b"
    r"|it(?:'s| is) not\b(?! (?:just|only|really)\b).{1,60}[,;] ?(?:it|that)(?:'s| is)\b"
    r"|(?:actually,? |please fix this: )"
    r".{0,60}\bshould (?:be|have been|return|say|use)\b"
    r"|.{0,60}\bshould have been\b"
    r"|.{0,60}\b(?:should|must) (?:be|return|say|use)\b.{1,60}(?:,? (?:and )?not\b|\binstead of\b|"
    r"\brather than\b)"
    r"|.{0,60}(?:,| -) (?:it )?should be\b.{1,60}$(?<=.)"
    r")",
    re.IGNORECASE,
)
EN_OTHERWISE = re.compile(
    r"^(?:if|when(?:ever)?|unless|in case|suppose|assert|tell me|correct me|let me know|write|"
    r"return|translate|explain"
    r"|find|count|remove|show|list|set|add|rename|summari[sz]e|make|open|play|how|what|why|who|"
    r"which|where|would|could"
    r"|can|does|do|is|are|was|were|should|shouldn'?t|in the|next|now|then)\b"
    r"|\b(?:i was|i'?m|i am|my (?:mistake|bad|fault|error)|i (?:gave|made|sent|wrote|typed|"
    r"used) (?:you )?(?:a |an |the )?"
    r"(?:wrong|mistake|error|typo))\b|\b(?:not|isn'?t|nothing(?: is|'s)?|never) (?:wrong|"
    r"incorrect)\b|nothing wrong"
    r"|^(?:she|he|they|the (?:customer|user|client|log|reviewer|previous|film|article|book)|"
    r"my (?:boss|colleague|friend))\b",
    re.IGNORECASE,
)
EN_ANSWER = re.compile(
    rf"{_LEAD}(?:no+|nope|nah)[\s,.!]+(?:but\b|not (?:yet|really|right now|at the moment)\b|never\b|no \w"
    r"|(?:i|we|they|he|she)(?:'ve|'m|'re| have| am| are| never| did| was| were| can| could)?"
    r"(?: not|n'?t| haven'?t| didn'?t| don'?t(?! want)| wasn'?t| can'?t| couldn'?t| never)\b|"
    r"haven'?t\b|didn'?t\b|still\b)",
    re.IGNORECASE,
)
"""A "no" that answers a question about the user: nobody is corrected."""
BARE_NO = re.compile(r"^(?:no+|nope|nah|不|不是|没有?)(?=[\s,.!，。！]|$)", re.IGNORECASE)
"""A "no" to begin with, which after a question of the agent is an answer."""
EN_SUCCESS = re.compile(
    r"^(?:(?:yes|yep|yeah|ok(?:ay)?|great|good|thanks|thank you|awesome|wow)[\s,.!]+)*"
    r"(?:(?:that|this|it)(?:'s| is)? (?:now )?(?:right|correct|perfect|exactly|works?|worked|solved|"
    r"fixed|great|good)"
    r"(?: (?:it|that|now|the \w+|what i \w+))*|perfect|works(?: now)?|exactly(?: what i \w+)?|"
    r"correct|well done|looks good"
    r"(?: to me)?|all tests pass(?: now)?|that (?:fixed|solved) (?:it|the \w+)|awesome|"
    r"(?:yes[, ]+)?exactly)\s*(?:[,.!]|$)",
    re.IGNORECASE,
)

_ZH_LEAD = r"^(?:(?:嗯+|呃|哦|唉|抱歉|对不起|其实|我觉得|我想|那个|喂)[，,、。！\s]*)*"
_END = r"(?=[，,。！!：:；;、\s]|$)"
_ZH_THING = (
    r"(?:这|那|它|这样|那样|这个|那个|这里|刚才那样|这样做|(?:这个|那个|你的|你给的|上面的|"
    r"第 ?[\d一二三四五六七八九十]+ ?[行步列个条])?"
    r"[\u4e00-\u9fffA-Za-z_]{0,6}?(?:答案|结果|回答|输出|格式|合计|总额|总数|日期|结论|文件|数据|"
    r"单位|顺序|代码|查询|说法|内容|地址|名字|价格|做法|写法|行))"
)
ZH_REJECTION = re.compile(
    rf"{_ZH_LEAD}(?:"
    rf"(?:不对)+(?:吧|啊|的|了)?{_END}|不太对{_END}|不正确{_END}|不不+{_END}|不是的?{_END}|"
    rf"不{_END}(?!.*谢)|不行{_END}|不可能{_END}|不准确{_END}"
    rf"|(?:又|还是|全|都|仍然|依然)?错(?:了|啦|的|误)?{_END}|(?:又|还是|仍然|依然)(?:错了?|不对|"
    rf"不行)|胡说{_END}|反了{_END}|有误{_END}"
    rf"|{_ZH_THING}(?:还是|仍然|又|完全|都|也|明显|就)?(?:是)?(?:不对|错了|错的|不正确|有误|有错|"
    rf"不行|搞错|写错|算错|弄错|差了[^，。]{{1,6}}[，,]错了)"
    r"|[^，。]{0,8}(?:你)(?:又|还是|都|全|把[^，。]{1,12})?(?:说|算|写|弄|搞|理解|看|听|做|改|答|记|"
    r"认|查)?(?:的|得)?"
    r"(?:错了?|不对|反了|混了|漏了|有误)"
    r"|你的(?:回答|答案|查询|结果|代码|说法|输出)[^，。]{0,4}(?:错|不对|有误)"
    r"|你(?:忘了?|忘记|漏了?|忽略了?|没有?|没听|误解了?|误会了?|把[^，。]{1,16}(?:弄混|搞混|搞反|"
    r"弄反|弄错|搞错))"
    r"|(?:改|写|删|放|用|选|找|发)错[^，。？]{0,6}了?[，,。！]|"
    r"第 ?[\d一二三四五六七八九十]+ ?[行步列个条][^，。]{0,2}错"
    r"|(?:这|那)?不是我(?:想)?要的|(?:这|那)(?:是|已经是)旧|(?:还是|仍然|依然)(?:报|有|出)[^，。]{0,6}错"
    r"|(?:这|完全|根本|还是)[^，。]{0,4}不能用|撤销(?:吧|刚才|它|这)|改回去|(?:更正|纠正|"
    r"改正)(?:一下)?\s*[：:，,]|请改正"
    r")"
)
ZH_REPLACEMENT = re.compile(
    rf"{_ZH_LEAD}(?:"
    r"我(?:要|说|指|想要|想说|问)的(?:是|不是)"
    r"|(?:不|不是)[，,]\s*我(?:不要|要)"
    r"|正确(?:的)?[^，。是]{0,6}是"
    r"|不是[^，。？?]{1,24}[，,]\s*(?:而)?是"
    r"|[^，。？?]{0,16}(?:应该|应当|得|要)(?:是|返回|用|改成|写成)?[^，。？?]{1,30}[，,]\s*(?:而)?不是"
    r"|(?:别|不要)用[^，。]{1,16}[，,]\s*(?:应该|要|用)"
    r")"
)
ZH_OTHERWISE = re.compile(
    r"^(?:如果|假如|要是|万一|当|若|写一?个|把|给|找出|统计|删除|列出|总结|解释|加一?个|显示|检查|"
    r"断言|播放|打开|变量|用户(?:输|连续)|为什么|什么|怎么|哪)"
    r"|没(?:什么)?(?:不对|错|问题)|不错|我(?:的|自己|第)?[^你，。]{0,8}错|我没记错|我的错"
    r"|^(?:她|他|他们|客户|老板|同事|日志|评审|之前的|前任|电影|书里|文章)"
    r"|(?:吗|呢|么|怎样|怎么样|多少|哪[个里些]?)[。！]?$|(?:是不是|会不会|能不能|有没有|"
    r"(?<!不)对不对|对的还是错的)"
)
ZH_SUCCESS = re.compile(
    r"^(?:(?:对|好|嗯|很好|太好了|棒|是的|谢谢)[，,。！\s]*)*"
    r"(?:可以了|可以用了|现在可以(?:用)?了|解决了|问题解决了|搞定(?:了)?|完美|正确|没错|正是我要的|"
    r"就是这样|看起来没问题|测试全?过了"
    r"|做得(?:很)?好|太好了|很好|对的|棒)(?=[，,。！!\s]|$)"
)
