"""Facts about every function, from the documentation and the sources of Kubernetes and cel-go."""

from typing import Any

import pytest

from framework.apiserver.cel import CelCompiler, CelError

TRUE = (
    # conversions and size
    "size('äö') == 2 && b'ä'.size() == 2 && [1].size() == 1 && {'a': 1}.size() == 1",
    "int('-5') == -5 && int(1.9) == 1",
    "int(-1.9) == -1 && int(duration('1s')) == 1000000000 && int(timestamp(3)) == 3",
    "uint('5') == 5u && uint(5) == 5u && int(5u) == 5 && uint(2.7) == 2u",
    "double('1.5') == 1.5 && double(3) == 3.0 && double(3u) == 3.0",
    "string(1) == '1' && string(1.5) == '1.5' && string(true) == 'true' && string(b'a') == 'a'",
    "bool('true') && !bool('F') && bytes('a') == b'a' && bool(true)",
    "type(1) == int && type('') == string && type([]) == list && type({}) == map && type(null) == null_type",
    "type(timestamp(0)) == google.protobuf.Timestamp && type(ip('::1')) == net.IP && type(type(1)) == type",
    "dyn(1) == 1.0 && dyn('1') != dyn(1) && dyn(true) != dyn(1) && [dyn(1), dyn(2u)] == [dyn(1.0), dyn(2)]",
    "1 < 1.5 && 2u > 1 && 1.0 <= 1u && 'a' < 'b' && b'a' < b'b' && false < true",
    # times
    "timestamp('2023-12-25T00:30:45.123Z').getFullYear() == 2023 && timestamp(0).getMonth() == 0",
    "timestamp('2023-12-25T00:00:00Z').getDayOfYear() == 358",
    "timestamp('2023-12-25T00:00:00Z').getDayOfMonth() == 24",
    "timestamp('2023-12-25T00:00:00Z').getDate() == 25 && timestamp('2023-12-24T00:00:00Z').getDayOfWeek() == 0",
    "timestamp('2023-12-25T00:30:45.123Z').getMinutes() == 30 && timestamp(45).getSeconds() == 45",
    "timestamp('2023-12-25T00:30:45.123Z').getMilliseconds() == 123 && timestamp(0).getHours('-02:00') == 22",
    "timestamp(0) + duration('1h') - timestamp(0) == duration('60m') && duration('1m') + timestamp(0) == timestamp(60)",
    "duration('3730s').getHours() == 1",
    "duration('3730s').getMinutes() == 62 && duration('1.5s').getMilliseconds() == 1500",
    "duration('1h') > duration('59m') && duration('2s') - duration('1s') == duration('1s')",
    # strings
    "'tacocat'.charAt(3) == 'o' && ''.charAt(0) == ''",
    "'hello mellow'.indexOf('') == 0 && 'hello mellow'.indexOf('ello') == 1 && 'hello mellow'.indexOf('jello') == -1",
    "'hello mellow'.indexOf('', 2) == 2 && 'hello mellow'.indexOf('ello', 2) == 7 && 'hello'.indexOf('l', 20) == -1",
    "'hello mellow'.lastIndexOf('') == 12 && 'hello mellow'.lastIndexOf('ello') == 7",
    "'hello mellow'.lastIndexOf('ello', 6) == 1 && 'hello mellow'.lastIndexOf('x') == -1",
    "['hello', 'mellow'].join() == 'hellomellow'",
    "['hello', 'mellow'].join(' ') == 'hello mellow' && [].join('/') == ''",
    "'TacoCÆt'.lowerAscii() == 'tacocÆt' && 'TacoCæt'.upperAscii() == 'TACOCæT'",
    "'hello hello'.replace('he', 'we') == 'wello wello' && 'hello hello'.replace('he', 'we', 1) == 'wello hello'",
    "'hello hello'.replace('he', 'we', -1) == 'wello wello' && 'hello'.replace('he', 'we', 0) == 'hello'",
    "'12 days 12 hours'.replace('{0}', '2') == '12 days 12 hours' && 'ab'.replace('', '_') == '_a_b_'",
    "'hello hello hello'.split(' ') == ['hello', 'hello', 'hello'] && 'a b c'.split(' ', 0) == []",
    "'a b c'.split(' ', 1) == ['a b c'] && 'a b c'.split(' ', 2) == ['a', 'b c'] && 'ab'.split('') == ['a', 'b']",
    "'tacocat'.substring(4) == 'cat' && 'tacocat'.substring(0, 4) == 'taco' && 'a'.substring(1) == ''",
    "'  \\ttrim\\n    '.trim() == 'trim'",
    'strings.quote(\'single-quote with "double quote"\') == \'"single-quote with \\\\"double quote\\\\""\'',
    "'hello'.contains('ell') && 'hello'.startsWith('he') && 'hello'.endsWith('lo') && !'hello'.contains('x')",
    "'this is a string: %s\\nand an integer: %d'.format(['str', 42]) == 'this is a string: str\\nand an integer: 42'",
    "'%.3f %b %x %X %o 100%%'.format([1.2345, 5, 26, 26, 8]) == '1.234 101 1a 1A 10 100%'",
    # lists
    "[1, 2, 3].isSorted() && !['b', 'a'].isSorted() && [].map(x, 1).isSorted()",
    "[1, 3].sum() == 4 && [1.0, 3.0].sum() == 4.0 && [duration('1m'), duration('1s')].sum() == duration('1m1s')",
    "[1, 3].min() == 1 && [1, 3].max() == 3 && ['b', 'a'].min() == 'a'",
    "[1, 2, 2, 3].indexOf(2) == 1 && ['a', 'b', 'b'].lastIndexOf('b') == 2 && [1.0].indexOf(1.1) == -1",
    "[1, 2, 3, 4].slice(1, 3) == [2, 3] && [[1], [2, 3]].flatten() == [1, 2, 3]",
    "[[1, 2], [3]].flatten(0) == [[1, 2], [3]] && [[[1]], [[2]]].flatten(2) == [1, 2]",
    "['b', 'a'].sort() == ['a', 'b'] && [5, 3].reverse() == [3, 5] && [1, 2, 1].distinct() == [1, 2]",
    "[{'n': 2}, {'n': 1}].sortBy(e, e.n).map(e, e.n) == [1, 2] && lists.range(3) == [0, 1, 2]",
    "[1, 2].first() == optional.of(1) && [1, 2].last().value() == 2 && ![].first().hasValue()",
    # sets
    "sets.contains([], []) && !sets.contains([], [1]) && sets.contains([1, 2, 3, 4], [2, 3])",
    "sets.equivalent([1], [1, 1]) && sets.equivalent([1, 2], [2, 1]) && !sets.equivalent([1], [2])",
    "sets.intersects([1], [1, 2]) && !sets.intersects([1], [])",
    # regular expressions
    "'abc 123'.find('[0-9]+') == '123' && 'abc'.find('xyz') == ''",
    "'123 abc 456'.findAll('[0-9]+') == ['123', '456'] && '123 abc 456'.findAll('[0-9]+', 1) == ['123']",
    "'123 abc'.findAll('xyz') == [] && 'abc'.matches('b') && !'abc'.matches('^b') && matches('a', 'a')",
    # URLs
    "isURL('https://user:pass@example.com:80/path?query=val#fragment')",
    "isURL('/absolute-path') && isURL('https://[::1]:80')",
    "!isURL('https://a:b:c/') && !isURL('../relative-path') && !isURL('')",
    "url('https://example.com:80/').getHost() == 'example.com:80' && url('https://[::1]:80/').getHostname() == '::1'",
    "url('https://example.com/').getPort() == ''",
    "url('https://example.com/with space/').getEscapedPath() == '/with%20space/'",
    "url('/path').getScheme() == ''",
    "url('https://example.com/path?k1=a&k2=b&k2=c').getQuery() == {'k1': ['a'], 'k2': ['b', 'c']}",
    "url('https://example.com/').getQuery() == {} && url('https://a/?k').getQuery() == {'k': ['']}",
    # quantities
    "isQuantity('1.3Gi') && isQuantity('1.3G') && !isQuantity('1.3GG')",
    "!isQuantity('') && isQuantity('-1') && isQuantity('1e3')",
    "quantity('500000G').isInteger()",
    "quantity('50k').isInteger() && !quantity('9999999999999999999999999999999999999G').isInteger()",
    "quantity('50000000G').asInteger() == 50000000000000000 && quantity('50k').asApproximateFloat() == 50000.0",
    "sign(quantity('-1')) == -1 && sign(quantity('0')) == 0 && sign(quantity('10m')) == 1",
    "quantity('1k') == quantity('1000') && quantity('200M').compareTo(quantity('0.2G')) == 0",
    "quantity('50M').isGreaterThan(quantity('50Mi')) == false && quantity('50k').isLessThan(quantity('100k'))",
    "quantity('50k').add(quantity('20k')) == quantity('70k') && quantity('50k').add(20) == quantity('50020')",
    "quantity('50k').sub(quantity('20k')) == quantity('30k') && quantity('50k').sub(20000) == quantity('30k')",
    "quantity('0.1n').isGreaterThan(quantity('0')) && quantity('1Ei').isInteger() == false",
    # IP addresses and networks
    "isIP('127.0.0.1') && isIP('::1') && !isIP('127.0.0.256')",
    "!isIP('') && !isIP('fe80::1%en0') && !isIP('::ffff:1.2.3.4')",
    "ip('127.0.0.1').family() == 4 && ip('::1').family() == 6 && ip.isCanonical('::1') && !ip.isCanonical('0:0::1')",
    "ip('0.0.0.0').isUnspecified() && ip('127.0.0.1').isLoopback() && ip('fe80::1').isLinkLocalUnicast()",
    "ip('224.0.0.1').isLinkLocalMulticast()",
    "!ip('224.0.1.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast()",
    "ip('192.168.0.1').isGlobalUnicast()",
    "!ip('255.255.255.255').isGlobalUnicast() && ip('2001:db8::1').isGlobalUnicast()",
    "string(ip('0:0::1')) == '::1' && ip('127.0.0.1') != ip('127.0.0.2')",
    "isCIDR('192.168.0.0/16') && isCIDR('::1/128') && !isCIDR('192.168.0.0/33') && !isCIDR('192.168.0.0')",
    "cidr('192.168.0.0/24').containsIP('192.168.0.1') && cidr('192.168.0.0/24').containsIP(ip('192.168.0.1'))",
    "!cidr('192.168.0.0/24').containsIP('192.168.1.1') && !cidr('0.0.0.0/0').containsIP('::1')",
    "cidr('192.168.0.0/16').containsCIDR('192.168.10.0/24')",
    "!cidr('192.168.1.0/24').containsCIDR(cidr('192.168.0.0/16'))",
    "cidr('192.168.1.1/24').ip() == ip('192.168.1.1') && cidr('192.168.1.1/24').prefixLength() == 24",
    "cidr('192.168.1.1/24').masked() == cidr('192.168.1.0/24') && string(cidr('::1/64').masked()) == '::/64'",
    # formats
    "!format.dns1123Label().validate('my-label').hasValue() && format.dns1123Label().validate('My').hasValue()",
    "!format.dns1123Subdomain().validate('a.b').hasValue() && !format.dns1035Label().validate('a1').hasValue()",
    "format.dns1035Label().validate('1a').hasValue() && !format.dns1123LabelPrefix().validate('a-').hasValue()",
    "!format.qualifiedName().validate('example.com/MyName').hasValue() && !format.labelValue().validate('').hasValue()",
    "!format.uri().validate('http://x').hasValue() && !format.byte().validate('aGVsbG8=').hasValue()",
    "!format.date().validate('2021-01-01').hasValue()",
    "!format.datetime().validate('2021-01-01T00:00:00Z').hasValue()",
    "format.uuid().validate('x').value() == ['does not match the UUID format'] && !format.named('xyz').hasValue()",
    "format.named('dns1123Label').value() == format.dns1123Label()",
    # semantic versions
    "isSemver('1.0.0') && !isSemver('1.0')",
    "!isSemver('v1.0.0') && isSemver('v1.0', true) && isSemver('01.01.01', true)",
    "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
    "semver('1.2.3').compareTo(semver('1.2.4')) == -1 && semver('2.0.0').isGreaterThan(semver('1.9.9'))",
    "semver('1.0.0-alpha').isLessThan(semver('1.0.0-alpha.1')) && semver('1.0.0-2').isLessThan(semver('1.0.0-10'))",
    "semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))",
    "semver('1.0.0+a') == semver('1.0.0+b') && semver('v01.01', true) == semver('1.1.0')",
    # optionals
    "optional.of(1).value() == 1 && optional.none().orValue(2) == 2 && !optional.ofNonZeroValue('').hasValue()",
    "{'a': {'b': 1}}.?a.?b.orValue(0) == 1 && !{'a': 1}[?'b'].hasValue()",
    "[1][?0] == optional.of(1) && ![1][?1].hasValue()",
    "optional.none().or(optional.of(1)).value() == 1 && optional.of(1).optMap(x, x + 1).value() == 2",
    "optional.of({'a': 1}).optFlatMap(m, m.?b).hasValue() == false && {?'a': optional.none()} == {}",
    "[?optional.of(1), ?optional.none()] == [1] && optional.unwrap([optional.of(1), optional.none()]) == [1]",
    "[optional.of(1)].unwrapOpt() == [1] && optional.of({'x': 1}).x.value() == 1",
    # macros
    "[1, 2].all(x, x > 0) && [1, 2].exists(x, x == 2) && [1, 2].exists_one(x, x == 2) && [1, 2].existsOne(x, x == 1)",
    "[1, 2].map(x, x * 2) == [2, 4] && [1, 2].map(x, x > 1, x * 2) == [4] && [1, 2].filter(x, x > 1) == [2]",
    "[1, 2].all(i, v, i < v) && {'a': 1}.exists(k, v, v == 1) && [1, 2].exists_one(i, v, v == 2)",
    "[1, 2].transformList(i, v, i + v) == [1, 3] && [1, 2].transformList(i, v, i > 0, v) == [2]",
    "[1, 2].transformMap(i, v, v * 2) == {0: 2, 1: 4} && {'a': 'b'}.transformMapEntry(k, v, {v: k}) == {'b': 'a'}",
    "has({'a': 1}.a) && !has({'a': 1}.b) && 'a' in {'a': 1} && 1 in [1] && !(2 in [1])",
    # errors that do not decide
    "true || 1 / 0 > 0",
    "1 / 0 > 0 || true",
    "!(false && 1 / 0 > 0)",
    "!(1 / 0 > 0 && false)",
    "[0, 1].exists(x, 1 / x > 0) && !([0, 1].all(x, 1 / x > 1))",
    "true ? true : 1 / 0 > 0",
)
FAILURES = {
    "1 / 0": "division by zero",
    "1 % 0": "modulus by zero",
    "9223372036854775807 + 1": "integer overflow",
    "-9223372036854775808 - 1": "integer overflow",
    "-(-9223372036854775808)": "integer overflow",
    "0u - 1u": "unsigned integer overflow",
    "uint(-1)": "unsigned integer overflow",
    "int(1e30)": "integer overflow",
    "[1][1]": "index out of bounds: 1",
    "[1][-1]": "index out of bounds: -1",
    "{'a': 1}['b']": "no such key: b",
    "{'a': 1}.b": "no such key: b",
    "'abc'.charAt(4)": "index out of range: 4",
    "'abc'.substring(2, 1)": "invalid substring range. start: 2, end: 1",
    "'abc'.indexOf('b', -1)": "index out of range: -1",
    "[].map(x, 1).min()": "min called on empty list",
    "[1].slice(0, 2)": "cannot slice(0, 2), list is length 1",
    "[1].slice(2, 1)": "cannot slice(2, 1), start index must be less than or equal to end index",
    "optional.none().value()": "optional.none() dereference",
    "quantity('1.5').asInteger()": "cannot convert value to integer",
    "quantity('1x')": "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    "quantity('1Kii')": "unable to parse quantity's suffix",
    "int('x')": "type conversion error from 'string' to 'int'",
    "semver('1.2')": "No Major.Minor.Patch elements found",
    "ip('fe80::1%en0')": 'IP address "fe80::1%en0" with zone value is not allowed',
    "ip('::ffff:1.2.3.4')": 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed',
    "url('x')": 'URL parse error during conversion from string: parse "x": invalid URI for request',
    "string(b'\\xff')": "invalid UTF-8 in bytes, cannot convert to string",
    "timestamp('9999-12-31T23:59:59Z') + duration('1s')": "timestamp overflow",
    "dyn(1) + dyn('a')": "no such overload",
    "dyn(1).size()": "no such overload: size",
    "dyn(1).charAt(0)": "no such overload: charAt(int, int)",
    "1 / 0 > 0 || 1 % 0 > 0": "division by zero",
    "{'a': 1}.transformMapEntry(k, v, {'x': 1}).size() + {'a': 1, 'b': 2}.transformMapEntry(k, v, {'x': v}).x": (
        "insert failed: key x already exists"
    ),
}


def evaluate(text: str) -> Any:
    return CelCompiler().compile(text, {}).evaluate({})


@pytest.mark.parametrize("text", TRUE)
def test_it_is_true(text: str) -> None:
    assert evaluate(text) is True


@pytest.mark.parametrize(("text", "message"), FAILURES.items())
def test_it_fails_with_the_words_of_the_real_server(text: str, message: str) -> None:
    with pytest.raises(CelError) as failed:
        evaluate(text)

    assert str(failed.value) == message
