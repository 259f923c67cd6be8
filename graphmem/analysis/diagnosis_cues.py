"""Words by which a failure tells what kind of failure it was, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Mapping

from graphmem.domain.memories import RootCauseType


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


_SEEMED = (
    r"(?:success(?:ful|fully)?|succeeded|pass(?:ed)?|ok|green|done|100 ?%|200|0|no (?:problem|error|"
    r"issue)s?)"
)
"""What a tool says when it claims that all is well."""
_YET = r"(?:although|even though|but|while|yet|though|despite)"
_SEEMED_ZH = r"(?:成功|通过|完成|正常|没有?问题|无错误|绿色?|100 ?%|200|是 ?0)"
_YET_ZH = r"(?:但|但是|其实|实际上?|却|然而|尽管|虽然|早已)"

MISLEADING = _any(
    r"\bmis(?:led|leading|leads)\b",
    rf"\b(?:return(?:ed|s)?|report(?:ed|s)?|show(?:ed|s)?|display(?:ed|s)?|said|says|claim(?:ed|s)?|"
    rf"exit code)\b"
    rf"[^.;\n]{{0,60}}(?<![\w.]){_SEEMED}(?![\w.])[^.;\n]{{0,30}}\b{_YET}\b",
    r"\b(?:http|status) 200\b[^.;\n]{0,60}\b(?:error|fail)",
    r"\b(?:passed|succeeded|green)\b[^.;\n]{0,30}\b(?:because|since|"
    r"only)\b[^.;\n]{0,30}\b(?:skipped|mock|not run|disabled)",
    r"\b(?:outdated|out of date|obsolete|stale)\b|\bcached (?:value|answer|response|result|price|"
    r"page|copy)",
    r"\b(?:documentation|docs?|comment|readme|message|hint|manual)\b[^.;\n]{0,40}"
    r"\b(?:wrong|incorrect|false|pointed to the wrong|claim(?:s|ed)?|lied|removed)\b",
    r"\b(?:user|customer|colleague|reviewer|owner)\b[^.;\n]{0,30}\b(?:confirmed|gave|told|"
    r"approved)\b[^.;\n]{0,20}\b(?:wrong|false|incorrect)\b",
    r"\b(?:tool|search|api|service|mock)\b[^.;\n]{0,40}\b(?:another|different(?:ly)?|wrong|"
    r"yesterday's|false)\b",
    r"\bfalse (?:positive|negative|alarm)\b",
    r"误导",
    rf"(?:返回|报告|显示|提示|声称|退出码|表示)[^。；\n]{{0,20}}{_SEEMED_ZH}[^。；\n]{{0,12}}{_YET_ZH}",
    rf"{_YET_ZH}[^。；\n]{{0,8}}(?:退出码|返回|显示)[^。；\n]{{0,8}}{_SEEMED_ZH}|(?:错误|"
    rf"失败)[^。；\n]{{0,8}}却[^。；\n]{{0,6}}{_SEEMED_ZH}",
    r"(?:显示|标为)(?:绿色|正常|健康)",
    r"http ?200[^。；\n]{0,20}错误",
    r"通过[^。；\n]{0,8}(?:因为|只是)[^。；\n]{0,8}(?:跳过|模拟|没有?运行)",
    r"过时|过期的?文档|缓存(?:没|未|陈旧|过期)|旧的?缓存|陈旧",
    r"(?:文档|注释|说明|手册|错误信息|提示)[^。；\n]{0,12}(?:指向了?错|是错的|写错|与实际不符|不实)",
    r"注释[^。；\n]{0,16}其实",
    r"(?:用户|客户|同事|负责人)[^。；\n]{0,6}(?:确认|给|提供)了?[^。；\n]{0,4}错误",
    r"(?:工具|搜索|接口|服务)[^。；\n]{0,6}(?:返回|给)[^。；\n]{0,6}(?:另一|别的|错误的|昨天)",
)
SYSTEM = _any(
    r"\btime(?:d)?[ -]?out\b|\bTimeout(?:Error|Expired|Exception)?\b|\bdeadline exceeded\b",
    r"\b(?:http|status|code|error|returned|返回|状态码)\s*:?\s*(?:429|50[234])\b|\b(?:429|"
    r"50[234]) (?-i:[A-Z])|\btoo many requests\b|\brate[ -]?limit|\bservice unavailable\b|\bbad gateway\b",
    r"\b(?:permission|access) (?:was )?denied\b|\bPermissionError\b|\bnot permitted\b|"
    r"\bread-only file system\b|\bEACCES\b",
    r"\bout of (?:memory|disk|space|inodes|file descriptors)\b|\bMemoryError\b|\bOOM\b|"
    r"\bno space left\b|\bdisk (?:is )?full\b",
    r"\bconnection (?:was )?(?:refused|reset|aborted|closed|lost)\b|\bConnection(?:Refused|Reset|"
    r"Aborted)?Error\b",
    r"\bno (?:network|internet|such host)\b|\bnetwork (?:is )?unreachable\b|\bname resolution\b|"
    r"\bunreachable\b",
    r"\bquota\b|\bout of credits\b|\bbudget (?:is )?(?:used up|exhausted|exceeded)\b",
    r"\bcontext (?:window|length)\b|\btoken limit\b|\bmaximum (?:number of )?(?:steps|turns|tokens|"
    r"iterations|context)\b"
    r"|\b(?:step|turn|size|length) limit\b",
    r"\b(?:tool|browser|platform|sandbox|environment|model)\b[^.;\n]{0,30}\b(?:cannot|can't|can not|"
    r"does not support|doesn't support|is unable|unavailable)\b",
    r"\b(?:blocked|refused|rejected|flagged|triggered) by\b[^.;\n]{0,20}\b(?:filter|guard ?rails?|"
    r"policy|firewall|safety|captcha)\b"
    r"|\bcontent (?:filter|policy)\b|\bcaptcha\b|\bpaywall\b",
    r"\bsystem (?:failure|crash|error)\b|\bcommand not found\b|\bnot installed\b|"
    r"\bunsupported (?:platform|file|format|operating)\b",
    r"超时|请求过于频繁|限流|频率限制|暂时?不可用|服务不可用|网关错误",
    r"(?:没有|无|缺少)(?:[^。；，\n]{0,4})权限|权限(?:不足|被拒)|拒绝访问|不允许访问|只读文件系统",
    r"内存(?:不足|溢出|耗尽|不够)|磁盘[^。；，\n]{0,4}满|空间(?:不足|已满)",
    r"连接[^。；\n]{0,4}(?:被)?(?:拒绝|重置|中断|断开)|拒绝连接|(?:没有|无)网络|网络(?:不通|断开|不可达)",
    r"配额|额度(?:用完|不足|耗尽)|余额不足",
    r"上下文(?:窗口|长度)|(?:最大|上限)[^。；，\n]{0,4}(?:步|轮|长度|次数)[^。；，\n]{0,2}|"
    r"步数(?:限制|上限)",
    r"(?:工具|浏览器|平台|沙箱|环境|模型)[^。；\n]{0,4}(?:不支持|不能|无法)",
    r"(?:过滤|风控|防火墙|安全策略|验证码)[^。；\n]{0,4}(?:拦截|阻止|拒绝)|被[^。；\n]{0,10}(?:拦截|屏蔽)",
    r"命令(?:不存在|未找到|找不到)|未安装|没有安装",
)
INFORMATION = _any(
    r"\b(?:never|not|nobody|no one|n't)\b[^.;\n]{0,16}\b(?:given|told|tell|said|say|specif(?:y|ied)|"
    r"mention(?:ed)?|provided|stated|documented|in the prompt|know|known|aware)\b",
    r"\b(?:was|were|is|are) (?:not|never) (?:given|told|specified|mentioned|provided|documented)\b",
    r"\b(?:unclear|ambiguous|underspecified|unspecified|undocumented|undefined behaviou?r|vague)\b",
    r"\b(?:unaware|did not know|didn't know|not know|no idea|lack(?:ed|s|ing)?|without knowing)\b",
    r"\b(?:missing|insufficient|incomplete|no|not enough|too little) (?:context|information|"
    r"documentation|details?|examples?|requirements?|instructions?|description)\b",
    r"\bthere (?:is|was) no (?:documentation|description|example|hint|mention)\b|\bcould(?: not|"
    r"n't) find (?:out|where|any|the doc)",
    r"\b(?:guess(?:ed|ing)?|assum(?:ed|ption|ing))\b",
    r"(?:没有|没|未|从未|不曾)(?:人)?[^。；，\n]{0,4}(?:提供|告诉|告知|说明|说清|说(?:是)?|写明|"
    r"写(?:要|用|清)|指定|提到|提及|给出|给|交代|明确)",
    r"(?:谁也没|没人)(?:说|讲|告诉)|没有[^。；，\n]{0,4}(?:文档|说明|示例|例子|描述)",
    r"信息(?:不足|不全|缺失|不够)|上下文(?:不足|缺失|不全|不够)|缺少[^。；，\n]{0,6}(?:规则|信息|"
    r"上下文|说明|文档|背景|资料|知识)",
    r"(?:不知道|不了解|不清楚|不明确|不晓得|含糊|模糊|歧义|有歧义)",
    r"只能猜|猜测|自行假设|凭空假设|默认认为|想当然",
)
CAPABILITY = _any(
    r"\b(?:Index|Key|Type|Value|ZeroDivision|Attribute|Syntax|Indentation|Name|UnboundLocal|"
    r"Assertion|Recursion|Overflow|Arithmetic)(?:Error)\b",
    r"\b(?:NullPointer|ArrayIndexOutOfBounds|ClassCast|IllegalArgument|StringIndexOutOfBounds|"
    r"NumberFormat)Exception\b",
    r"\bsegmentation fault\b|\bpanic(?:ked)?\b|\bnull pointer\b|\bout of (?:range|bounds)\b|"
    r"\bdivi(?:sion|de[sd]?) by zero\b",
    r"\boff[ -]by[ -]one\b|\brace condition\b|\bdeadlock\b|\bwithout (?:a )?lock\b|\bsyntax error\b|"
    r"\btypo\b",
    r"\b(?:ignored?|forgot(?:ten)?|skipped|overlooked|omitted|neglected|missed)\b",
    r"\b(?:did not|didn't|does not|doesn't|failed to|never|without)\b[^.;\n]{0,16}\b(?:handle|"
    r"handling|follow|ask|authenticate|confirm|check|checking|validate|validating|verify|verifying|"
    r"consider|close|read|escape|running|testing)\b",
    r"\b(?:hallucinat|invent|fabricat|made up)\w*",
    r"\b(?:incorrectly|mistakenly|prematurely|wrongly|erroneously)\b|\bmistook\b|\bnot (?:correctly|"
    r"properly)\b",
    r"\b(?:invalid|illegal) (?:tool |function )?call\b|\bshould have\b|\bcontrary to the instructions?\b",
    r"错误地|过早|本应|不恰当地|非法调用",
    r"\b(?:mis(?:read|understood|interpreted|calculated|counted|applied|used))\b|\bconfus(?:ed|"
    r"ing)\b|\bmixed up\b|\bswapped\b",
    r"\bwrong (?:order|conclusion|argument|unit|sign|formula|index|column|type|operator|assumption|"
    r"inference)\b",
    r"\b(?:instead of|rather than)\b[^.;\n]{0,3}\w+ing\b|\b(?:multiplied|divided|added|subtracted|"
    r"sorted|compared)\b",
    r"\b(?:edge|corner|boundary) (?:case|condition|input)s?\b|\bmutable default\b|\bkept (?:trying|"
    r"repeating)\b|\bnot considered\b",
    r"越界|除以零|除零|空指针|差一|死锁|竞态|没有加锁|未加锁|语法错误|类型错误|拼写错误|段错误",
    r"忽略|忘记|忘了|漏掉|漏了|遗漏|跳过|疏忽",
    r"(?:没有|没|未)[^。；，\n]{0,4}(?:处理|遵守|按照|检查|校验|验证|考虑|关闭|转义|判断|跑测试)|未处理",
    r"编造|捏造|臆造|幻觉|虚构",
    r"(?:算|写|读|看|理解|弄|搞|排|用)(?:错|反)了?|误解|误读|混淆|弄混|搞混",
    r"错误(?:的)?(?:结论|推理|顺序|公式|单位)|推理[^。；\n]{0,4}错|顺序[^。；，\n]{0,3}(?:反|错)|当成了?",
    r"边界(?:条件|情况|输入)|极端输入|重复[^。；，\n]{0,6}(?:同样|无效)|同一个无效",
)
CUES: Mapping[RootCauseType, re.Pattern[str]] = {
    RootCauseType.MISLEADING_FEEDBACK: MISLEADING,
    RootCauseType.INFORMATION_GAP: INFORMATION,
    RootCauseType.SYSTEM_LIMIT: SYSTEM,
    RootCauseType.CAPABILITY_GAP: CAPABILITY,
}
"""In the order in which they are believed: a text that tells of a missing answer and of a crash is about the
missing answer; a crash alone is the agent's own.
"""
