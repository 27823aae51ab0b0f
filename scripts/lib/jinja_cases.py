"""Small templates for scripts/goldens/jinja: every statement, filter, test, method and error of
jinja2 that a chat template can meet, one thing each."""

CONTEXT = {
    "s": "Hello World", "t": "  padded\t\n", "e": "", "u": "naïve Ünïcode ß 😀 Ǆ", "n": None,
    "i": 7, "neg": -7, "z": 0, "f": 2.5, "big": 12345678901234567890123, "yes": True, "no": False,
    "l": [3, 1, 2], "el": [], "ls": ["b", "A", "c", "a"], "d": {"b": 1, "a": 2, "C": 3},
    "ed": {}, "nested": {"x": [{"y": {"z": "deep"}}, None, 1.5]}, "html": "<b>&'\"</b>",
    "users": [{"name": "Bob", "age": 30, "tags": ["x"]}, {"name": "alice", "age": 25, "tags": []},
              {"name": "Carl", "age": 30}],
    "lines": "one\ntwo\r\nthree\n\nfive", "mixed": [1, "a", None, True, 2.0, [1], {"k": "v"}],
    "quote": "it's", "dquote": "say \"hi\"", "both": "it's \"x\"", "csv": "a,b,,c",
    "items": [1, 2], "intkeys": [[1, "one"], [2, "two"]], "tree": [
        {"n": "a", "c": [{"n": "b", "c": []}, {"n": "c", "c": [{"n": "d", "c": []}]}]}],
}


def wrap(text):
    """One expression a line becomes one template each."""
    return ["{{ " + line.strip() + " }}" for line in text.strip().splitlines() if line.strip()]


LITERALS = wrap(r"""
1
1_000
0x1F
0b101
0o17
1.5
1e3
1.5e-7
1e16
1e15
123456789.123456789
1e-5
0.0001
1e400
12345678901234567890
"a\tb\n\"c\" \\ \x41 \u00e9 \U0001F600 \d \101"
'a' "b" 'c'
"é\é"
[1, 'a', none, true, 1.0]
(1,)
()
(1, 2)
1, 2
{'a': 1, 'b': [2]}
{1: 'x', none: 'y', true: 'z', 1.5: 'w'}
{'a': 1, 'a': 2}
[1, 2,]
{'a': 1,}
None
True
none is none
[none, undefined_thing]
[quote, dquote, both, u, t]
["\u200d", "\u00a0", "\x7f", "\u2028", "😀", "\ufeff"]
[big, f, -0.0, 1e22, 1e-7]
[]
{}
[[], {}, ()]
{'a': {'b': {'c': []}}}
""")

OPERATORS = wrap("""
i + 1
i - 10
i * 3
i / 2
i // 2
neg // 2
neg % 3
i % -3
i ** 2
2 ** 100
2 ** -1
2 ** 0.5
2 ** 3 ** 2
-i
+i
-yes
- 2 ** 2
(-2) ** 2
7.5 // 2
-7.5 // 2
7.5 % 2
-7.5 % 2
1 / 3
10 / 5
1e308 * 10
0.1 + 0.2
f + 1
f * 2
yes + 1
yes * 3
big + 1
big * big
big // 7
-big // 7
big % 1000
big - big
big / 2
s + '!'
s * 2
3 * s
s * -1
l + [4]
l * 2
(1,) + (2,)
'%s and %s' % ('a', 1)
'%d%%' % 5
'%5.2f|%-5s|%05d|%+d|%x|%X|%o|%e|%g' % (3.14159, 'ab', 42, 7, 255, 255, 8, 12345.678, 0.0001)
'%s' % l
'%s' % (l,)
'%(a)s-%(b)05.1f' % {'a': 1, 'b': 2.25}
'%r' % quote
'%c%c' % (65, 'b')
'%10s|' % s
'%.3s|' % s
'%*d' % (5, 42)
'%#x %#o' % (255, 8)
'% d' % 5
'%i' % 3.9
'%s' % undefined_thing
'no' % ()
i ~ s ~ none ~ f ~ l
1 ~ 2
1 < 2 < 3
1 < 3 < 2
1 == 1.0
1 == true
'a' == 'a'
'a' < 'b'
[1, 2] < [1, 3]
(1, 2) == [1, 2]
{'a': 1} == {'a': 1.0}
none == false
undefined_thing == other_undefined
undefined_thing == none
undefined_thing != 1
big > 1e22
1e22 < big
big == big
'ell' in s
'x' not in s
1 in l
'a' in d
none in mixed
1 in d
2 in (1, 2)
'' in 'abc'
not i
not e
not undefined_thing
i and s
e or s
e and s
e or z or n
yes and no or i
not yes or yes
i if yes else s
i if no else s
(i if no) is defined
[i if no]
i if yes
'a' if no else 'b' if no else 'c'
(1 if yes else 2) + 1
i in [7] and s
1 + 2 * 3 - 4 / 2
(1 + 2) * 3
'a' ~ 1 + 2
s | upper ~ i
-i | abs
- i | abs
i is odd and i is not even
2 * 'ab' ~ '-'
""")

ACCESS = wrap("""
s[0]
s[-1]
s[100]
u[6]
u[-1]
u[14:]
s[1:3]
s[::-1]
s[::2]
s[-3:]
s[:-3]
s[5:2]
s[10:0:-2]
u[::-1]
l[0]
l[-1]
l[5]
l[1:]
l[::-1]
l[5:]
l[-100:100]
l[2:0:-1]
l[none:none]
(1, 2, 3)[1:]
(1, 2, 3)[0]
d.b
d['b']
d.missing
d['missing'] is defined
d.items is callable
d.items()
d.keys()
d.values()
d.keys() | list
d.get('a')
d.get('zz')
d.get('zz', 5)
{'items': 5}.items is callable
{'items': 5}['items']
{'get': 5}['get']
nested.x[0].y.z
nested['x'][0]['y']['z']
nested.x[1]
nested.x.0.y.z
nested.x[5]
nested.x[5] is undefined
users[0].name
users[-1]['tags'] is defined
users[1:][0].name
range(5)[2]
range(10)[2:8:2]
range(10)[::-1] | list
{1: 'one'}[1]
{1: 'one'}[true]
{1: 'one'}[1.0]
{(1, 2): 'pair'}[(1, 2)]
s.upper is callable
l.append is defined
i.real
f.is_integer()
(3.0).is_integer()
i.bit_length()
[1, 2, 3].index(2)
l.count(1)
(1, 1, 2).count(1)
l.copy()
d.copy()
s['upper']()
s.__class__
s.__class__ is defined
l.__len__ is defined
d.__nope__ is defined
namespace(a=1).a
namespace(a=1)['a']
namespace({'a': 1}, b=2).b
namespace(a=1).b is defined
namespace(a=1)
namespace(items=4).items
dict(a=1, b=2)
dict({'a': 1}, b=2)
dict([['a', 1], ['b', 2]])
dict()
range(3)
range(3) | list
range(1, 10, 3) | list
range(5, 0, -2) | list
range(0)
range(1, 2, 3)
range(3) | length
cycler('a', 'b').next()
cycler('a', 'b').current
joiner()()
joiner('|') is callable
true[0] is defined
none[1:2]
{'a': 1}[1:] is defined
5[:2]
""")

STRING_METHODS = wrap(r"""
s.upper()
s.lower()
s.title()
s.capitalize()
s.swapcase()
u.upper()
u.lower()
u.title()
u.capitalize()
u.swapcase()
'ΑΣ ΑΣΑ Σ'.lower()
'they\'re bill\'s'.title()
'ﬁx'.upper()
'straße'.casefold()
t.strip()
t.lstrip() ~ '|'
t.rstrip() ~ '|'
'xxaxx'.strip('x')
'abcXcba'.strip('abc')
'xyaxy'.lstrip('yx')
'xyaxy'.rstrip('yx')
'éaé'.strip('é')
' a '.strip(none)
s.split()
s.split('o')
s.split('o', 1)
'a b  c '.split()
'a b  c '.split(' ')
'a b  c '.split(none, 1)
'a b  c '.split(maxsplit=1)
'  a b '.split()
csv.split(',')
csv.split(sep=',')
csv.rsplit(',', 1)
'a b c d'.rsplit(none, 2)
' a b c '.rsplit()
''.split()
''.split(',')
lines.splitlines()
lines.splitlines(true)
lines.splitlines(keepends=true)
'a\x0bb\x0cc\x1cd\x85e\u2028f'.splitlines()
s.startswith('He')
s.startswith('lo', 3)
s.startswith('lo', 3, 4)
s.startswith(('x', 'He'))
s.endswith('ld')
s.endswith(('x', 'y'))
s.endswith('')
s.replace('o', '0')
s.replace('o', '0', 1)
s.replace('', '-')
s.replace('', '-', 3)
'aaa'.replace('aa', 'b')
'é'.replace('', '|')
s.find('o')
s.find('o', 5)
s.find('z')
s.rfind('o')
u.find('ß')
s.index('W')
s.rindex('o')
s.count('l')
s.count('')
s.count('l', 3)
''.join(ls)
', '.join(['a', 'b'])
'-'.join('abc')
','.join(d)
','.join(d.keys())
'ab'.join([])
'abc'.isalpha()
'abc1'.isalnum()
'123'.isdigit()
'²'.isdigit()
'²'.isdecimal()
'½'.isnumeric()
''.isdigit()
'abc'.islower()
'ABC'.isupper()
'Abc Def'.istitle()
'AbC'.istitle()
' \t'.isspace()
'abc'.isidentifier()
'a c'.isidentifier()
'abc'.isascii()
'é'.isascii()
'a\n'.isprintable()
'ab'.zfill(5)
'-5'.zfill(5)
'+5'.zfill(1)
'ab'.center(7, '*')
'ab'.center(6)
'abc'.center(6, '.')
'abc'.center(8, '.')
'ab'.ljust(5, '.')
'ab'.rjust(5, '.')
'a-b-c'.partition('-')
'a-b-c'.rpartition('-')
'abc'.partition('-')
'abc'.rpartition('-')
'prefix-x'.removeprefix('prefix-')
'x-suffix'.removesuffix('-suffix')
'x'.removesuffix('y')
'a\tb\tc'.expandtabs(4)
'a\tbc'.expandtabs()
'{} {}'.format(1, 'a')
'{1} {0}'.format(1, 'a')
'{a} {b}'.format(a=1, b=none)
'{0[0]} {1.name}'.format(l, users[0])
'{x[k]}'.format(x={'k': 'v'})
'{:>5}|{:<5}|{:^5}|'.format('a', 'b', 'c')
'{:*^9}'.format('mid')
'{:05d} {:+d} {:,} {:_}'.format(42, 7, 1234567, 1234567)
'{:.2f} {:8.3f} {:e} {:g} {:%}'.format(3.14159, 2.5, 1234.5, 0.0001, 0.25)
'{:x} {:X} {:#x} {:b} {:o} {:c}'.format(255, 255, 255, 5, 8, 65)
'{!r} {!s}'.format('a', 'b')
'{{}}'.format(1)
'{:>{w}}'.format('a', w=4)
'{:.3}'.format('abcdef')
'{}'.format(none)
'{}'.format(l)
'{:d}'.format(true)
'{:}'.format(1.0)
'{:.3}'.format(1.23456)
'{:10}|{:10}|'.format(1, 'a')
'{a}'.format_map({'a': 5})
""")

FILTERS = wrap(r"""
'the quick brown fox jumps over the lazy dog' | wordwrap(10)
'  the   quick\n\nbrown  fox  ' | wordwrap(8)
'self-evident well-to-do x-ray e-mail-address 2-3 a--b "so"--he said' | wordwrap(5)
'self-evident well-to-do abc--def ghi---jkl' | wordwrap(6, break_on_hyphens=False)
'internationalization is-a-very-long-hyphenated-word' | wordwrap(7)
'internationalization of words' | wordwrap(7, False)
'übergrößenträger--naïve co-opérer\ttab' | wordwrap(6)
'-----------' | wordwrap(3)
'one two three four' | wordwrap(8, wrapstring=' | ')
'one two' | wordwrap(0)
'' | wordwrap(0)
s | wordwrap
5 | wordwrap
neg | abs
-2.5 | abs
yes | abs
(s | attr('upper'))()
d | attr('b') is defined
l | batch(2) | list
l | batch(2, 'x') | list
el | batch(2) | list
s | capitalize
u | capitalize
'ab' | center(6)
'ab' | center | length
undefined_thing | default('x')
undefined_thing | default
undefined_thing | d('x')
n | default('x')
n | default('x', true)
e | default('x', boolean=true)
z | default(5, true)
d | dictsort
d | dictsort(true)
d | dictsort(by='value')
d | dictsort(false, 'value', true)
d | dictsort(reverse=true)
html | e
html | escape
html | escape | escape
html | safe | escape
html | forceescape
html | escape | forceescape
5 | escape
1 | filesizeformat
1000 | filesizeformat
1500000 | filesizeformat
1536 | filesizeformat(true)
10 ** 30 | filesizeformat
l | first
el | first is defined
s | first
d | first
'1.5' | float
'x' | float
'x' | float(3.0)
5 | float
n | float
'inf' | float
' 1_0 ' | float
'%s-%s' | format('a', 1)
'%(a)s' | format(a=1)
users[:2] | groupby('age')
users | groupby('age') | map(attribute='grouper') | list
users | groupby('age') | map('last') | map('length') | list
users | groupby('tags.0', default='none') | map('first') | list
ls | groupby(0) | list
lines | indent
lines | indent(2)
lines | indent(2, true)
lines | indent(2, first=true, blank=true)
lines | indent('> ', true, true)
'' | indent(2, true)
'5' | int
'5.7' | int
'x' | int
'x' | int(9)
'0x1F' | int(0, 16)
'ff' | int(base=16)
'101' | int(0, 2)
5.9 | int
-5.9 | int
n | int
yes | int
' 12 ' | int
'1_000' | int
'12345678901234567890' | int
'1e3' | int
'nan' | int
l | join
l | join(', ')
users | join(', ', attribute='name')
mixed | join('|')
s | join('-')
d | join(',')
undefined_thing | join(',')
l | last
el | last is defined
s | last
d | last
l | length
s | length
u | length
d | length
undefined_thing | length
d | count
l | list
s | list
d | list
u | lower
5 | lower
d | items | list
undefined_thing | items | list
users | map(attribute='name') | list
users | map(attribute='tags') | list
users | map(attribute='tags', default='none') | list
users | map(attribute='tags.0', default='-') | list
ls | map('upper') | list
ls | map('replace', 'a', 'X') | list
ls | map('default', 'x') | join(',')
l | map('string') | join
ls | map('upper')  | first
undefined_thing | map('upper') | list
l | min
l | max
ls | min
ls | max
ls | min(case_sensitive=true)
users | max(attribute='age')
users | min(attribute='name')
el | min is defined
d | max
l | pprint
d | pprint
l | reject('odd') | list
mixed | reject | list
users | rejectattr('tags') | map(attribute='name') | list
users | rejectattr('age', 'equalto', 30) | map(attribute='name') | list
s | replace('o', '0')
s | replace('o', '0', 1)
5 | replace('5', '6')
s | replace('', '.')
l | reverse | list
s | reverse
u | reverse
d | reverse | list
range(3) | reverse | list
2.5 | round
3.5 | round
2.675 | round(2)
2.5 | round(method='ceil')
2.5 | round(0, 'floor')
1234.567 | round(-2)
1234 | round(-2)
1250 | round(-2)
5 | round
5 | round(1, 'ceil')
-0.5 | round
html | safe
html | safe ~ '<'
(html | safe) + '<'
'<' + html | safe
(html | safe) % ()
('<b>%s</b>' | safe) % '<'
('<b>{}</b>' | safe).format(1)
(html | safe).upper()
(html | safe)[0:2] + '<'
[html | safe]
l | select('odd') | list
mixed | select | list
mixed | select('string') | list
l | select('in', [1, 2]) | list
l | select('gt', 1) | list
l | select('divisibleby', 3) | list
users | selectattr('tags') | map(attribute='name') | list
users | selectattr('age', 'eq', 30) | map(attribute='name') | list
users | selectattr('age', '>', 26) | map(attribute='name') | list
users | selectattr('tags', 'defined') | list | length
users | selectattr('name', 'in', ['Bob']) | list
users | selectattr('tags.0', 'equalto', 'x') | list | length
l | slice(2) | list
l | slice(2, 'x') | list
range(10) | slice(3) | list
l | sort
l | sort(reverse=true)
ls | sort
ls | sort(case_sensitive=true)
ls | sort(true)
users | sort(attribute='age') | map(attribute='name') | list
users | sort(attribute='age,name') | map(attribute='name') | list
users | sort(attribute='age', reverse=true) | map(attribute='name') | list
d | sort
5 | string
n | string
l | string
1.0 | string
yes | string
undefined_thing | string
html | safe | string
'<p>a <b>b</b><!-- c --> &amp; d</p>' | striptags
l | sum
users | sum(attribute='age')
l | sum(start=10)
[[1], [2]] | sum(start=[])
el | sum
s | title
[html | safe | title]
"foo-bar (baz) they're [x]" | title
u | title
d | tojson
nested | tojson
mixed | tojson
html | tojson
u | tojson
u | tojson(ensure_ascii=true)
'a\n\t\r\x08\x0c\x01\x7f\\/"' | tojson
nested | tojson(indent=2)
mixed | tojson(indent=0)
[[], {}, [1, [2]]] | tojson(indent=4)
{'a': []} | tojson(indent='--')
d | tojson(sort_keys=true)
d | tojson(separators=(',', ':'))
d | tojson(indent=2, separators=(', ', ' = '))
{1: 2, none: 3, true: 4, 1.5: 5} | tojson
[1.0, 1e-5, 1e16, -0.0, 123456789012345680.0] | tojson
[(1, 2), 'x'] | tojson
'inf' | float | tojson
'nan' | float | tojson
big | tojson
n | tojson
t | trim
'xxaxx' | trim('x')
5 | trim
l | trim
n | trim
'\u00a0a\u2003' | trim
s | truncate(5)
'one two three four' | truncate(10, leeway=0)
'one two three four' | truncate(10, true, leeway=0)
'one two three four' | truncate(10, true, '', 0)
'one two three four' | truncate(16)
ls | unique | list
['a', 'A', 'b'] | unique | list
['a', 'A', 'b'] | unique(true) | list
users | unique(attribute='age') | map(attribute='name') | list
[1, 1.0, true] | unique | list
s | upper
u | upper
'a b/ü&=' | urlencode
{'a': 'b c', 'd': 1} | urlencode
[['a', '/']] | urlencode
lines | wordcount
u | wordcount
{'class': 'a', 'id': none, 'x': '<'} | xmlattr
{'a': 1} | xmlattr(false)
undefined_thing | upper
undefined_thing | trim
undefined_thing | list
undefined_thing | first is defined
undefined_thing | reverse | list
undefined_thing | sort
undefined_thing | sum
undefined_thing | safe
undefined_thing | replace('a', 'b')
undefined_thing | escape
users | map(attribute='name') | map('upper') | join('/')
l | map('float') | sum
""")

TESTS = wrap(r"""
s is defined
undefined_thing is defined
undefined_thing is undefined
d.missing is defined
n is none
undefined_thing is none
yes is boolean
i is boolean
yes is true
i is true
no is false
z is false
i is integer
yes is integer
big is integer
f is float
f is integer
i is number
yes is number
s is number
s is string
(html | safe) is string
i is string
d is mapping
l is mapping
namespace() is mapping
s is sequence
l is sequence
d is sequence
i is sequence
range(3) is sequence
(1, 2) is sequence
undefined_thing is sequence
(l | map('string')) is sequence
d.keys() is sequence
s is iterable
l is iterable
i is iterable
n is iterable
d is iterable
undefined_thing is iterable
range(3) is iterable
namespace() is iterable
range is callable
s is callable
s.upper is callable
undefined_thing is callable
namespace is callable
i is odd
i is even
6 is divisibleby 3
6 is divisibleby(4)
2.0 is even
i is eq 7
i is equalto(7)
i is ne 7
i is gt 5
i is greaterthan 5
i is ge 7
i is lt 5
i is lessthan 9
i is le 7
i is == 7
i is sameas 7
n is sameas none
yes is sameas true
1 is sameas true
l is sameas l
[] is sameas []
1 is in l
'a' is in 'abc'
'x' is not in d
s is in [s]
'abc' is lower
'ABC' is upper
'a1' is lower
'1' is lower
5 is upper
html is escaped
(html | safe) is escaped
'upper' is filter
'nope' is filter
'odd' is test
'tojson' is filter
s is not defined
not s is defined
s is defined and i is odd
s is string or fail()
i is not odd
l is iterable and l is not string and l is not mapping
1 is odd is defined
""")

STATEMENTS = [
    "{% if i == 7 %}a{% elif i == 8 %}b{% else %}c{% endif %}",
    "{% if e %}a{% elif s %}b{% else %}c{% endif %}",
    "{% if e %}a{% elif z %}b{% elif n %}x{% else %}c{% endif %}",
    "{% if i, %}tuple{% endif %}",
    "{% if not undefined_thing %}u{% endif %}",
    "{% for x in l %}{{ x }},{% endfor %}",
    "{% for x in el %}{{ x }}{% else %}none{% endfor %}",
    "{% for x in l %}{{ x }}{% else %}none{% endfor %}",
    "{% for x in l %}{% continue %}{% else %}all skipped{% endfor %}",
    "{% for x in l %}{% break %}{% else %}broke{% endfor %}",
    "{% for x in l %}{% if x == 1 %}{% continue %}{% endif %}{{ x }}{% else %}e{% endfor %}",
    "{% for x in l %}{% if x == 1 %}{% break %}{% endif %}{{ x }}{% endfor %}",
    "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}",
    "{% for k, v in d | items %}{{ k }}={{ v }};{% endfor %}",
    "{% for k in d %}{{ k }}{% endfor %}",
    "{% for c in u %}[{{ c }}]{% endfor %}",
    "{% for x in undefined_thing %}a{% else %}b{% endfor %}",
    "{% for x, (y, z) in [[1, [2, 3]]] %}{{ x }}{{ y }}{{ z }}{% endfor %}",
    "{% for x in 1, 2, 3 %}{{ x }}{% endfor %}",
    "{% for x in l if x > 1 %}{{ loop.index }}/{{ loop.length }}:{{ x }} {% endfor %}",
    "{% for x in l if x > 1 %}{{ x }}{{ ',' if not loop.last }}{% endfor %}",
    "{% for x in l if x > 10 %}{{ x }}{% else %}none{% endfor %}",
    "{% for x in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}"
    "{{ loop.first }}{{ loop.last }}{{ loop.length }} {% endfor %}",
    "{% for x in l %}{{ loop.previtem }}<{{ x }}>{{ loop.nextitem }} {% endfor %}",
    "{% for x in l %}{{ loop.previtem is defined }}{{ loop.nextitem is defined }} {% endfor %}",
    "{% for x in l | map('string') %}{{ loop.length }}{{ loop.last }}{{ x }}{% endfor %}",
    "{% for x in l | select('odd') %}{{ loop.last }}{{ loop.nextitem }}{{ x }}{% endfor %}",
    "{% for x in range(6) %}{{ loop.cycle('a', 'b', 'c') }}{% endfor %}",
    "{% for x in [1, 1, 2, 2, 1] %}{% if loop.changed(x) %}{{ x }}{% endif %}{% endfor %}",
    "{% for x in l %}{% for y in ls %}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}",
    "{% for x in l %}{% set outer = loop %}{% for y in el + [1] %}{{ outer.index }}{% endfor %}"
    "{% endfor %}",
    "{% for x in tree recursive %}{{ loop.depth }}{{ loop.depth0 }}{{ x.n }}"
    "[{{ loop(x.c) }}]{% endfor %}",
    "{% for x in tree recursive %}{{ x.n }}{% if x.c %}({{ loop(x.c) }}){% endif %}"
    "{{ loop.last }}{% else %}empty{% endfor %}",
    "{% for x in l %}{{ loop }}{% break %}{% endfor %}",
    "{% for x in l %}{{ x }}{% endfor %}{{ x is defined }}",
    "{% for x in l %}{% set y = x %}{% endfor %}{{ y is defined }}",
    "{% set y = 0 %}{% for x in l %}{% set y = y + x %}{{ y }}{% endfor %}{{ y }}",
    "{% set ns = namespace(y=0) %}{% for x in l %}{% set ns.y = ns.y + x %}{% endfor %}{{ ns.y }}",
    "{% set ns = namespace() %}{% set ns.a = 1 %}{% set ns.b, ns.c = 2, 3 %}{{ ns }}",
    "{% if yes %}{% set y = 5 %}{% endif %}{{ y }}",
    "{% if no %}{% set y = 5 %}{% endif %}{{ y is defined }}",
    "{% if no %}{% set s = 5 %}{% endif %}{{ s }}",
    "{% if no %}{% set s = 5 %}{% else %}{% set s = 6 %}{% endif %}{{ s }}",
    "{% for x in l %}{% if x == 3 %}{% set s = x %}{% endif %}{{ s }} {% endfor %}{{ s }}",
    "{% for s in l %}{{ s }}{% endfor %}{{ s }}",
    "{% set a, b = 1, 2 %}{{ a }}{{ b }}",
    "{% set a = b = 1 %}",
    "{% set a %}text {{ i }}{% endset %}[{{ a }}]",
    "{% set a | upper | trim %} text {{ i }} {% endset %}[{{ a }}]",
    "{% set a = 'x' %}{% set b %}{% set a = 'y' %}{{ a }}{% endset %}{{ a }}{{ b }}",
    "{% set messages = l[1:] %}{{ messages }}",
    "{% set s = s | upper %}{{ s }}",
    "{% macro m(a, b=2, c=a) %}{{ a }}-{{ b }}-{{ c }}{% endmacro %}{{ m(1) }} {{ m(1, c=3) }} "
    "{{ m(b=1, a=0) }} {{ m() }}",
    "{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, x=3) }}",
    "{% macro m(a) %}{{ a }}{{ varargs | length }}{% endmacro %}{{ m(1, 2, 3) }}",
    "{% macro m(a) %}{{ a is defined }}{% endmacro %}{{ m() }}{{ m(none) }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m.name }}{{ m.arguments }}{{ m.caller }}"
    "{{ m.catch_kwargs }}{{ m }}",
    "{% macro fact(n) %}{% if n > 1 %}{{ n }}*{{ fact(n - 1) }}{% else %}1{% endif %}"
    "{% endmacro %}{{ fact(5) }}",
    "{% macro m() %}{{ later }}{% endmacro %}{% set later = 5 %}{{ m() }}",
    "{% macro m() %}{{ s }}{% endmacro %}{{ m() }}{% set s = 5 %}{{ m() }}",
    "{% macro m() %}[{{ q }}]{% endmacro %}{{ m() }}{% set q = 5 %}{{ m() }}",
    "{% macro m() %}[{{ x }}]{% endmacro %}{% for x in l %}{{ m() }}{% endfor %}",
    "{% for x in l %}{% macro m() %}[{{ x }}]{% endmacro %}{{ m() }}{% endfor %}",
    "{% macro m() %}{% set s = 1 %}{{ s }}{% endmacro %}{{ m() }}{{ s }}",
    "{% macro w(t) %}<{{ t }}>{{ caller() }}</{{ t }}>{% endmacro %}"
    "{% call w('a') %}in {{ i }}{% endcall %}",
    "{% macro w() %}{{ caller(1, 2) }}{% endmacro %}{% call(a, b=5) w() %}{{ a }}{{ b }}{% endcall %}",
    "{% macro w() %}{{ caller is defined }}{% endmacro %}{{ w() }}{% call w() %}{% endcall %}",
    "{% macro w(caller=none) %}{{ caller }}{% endmacro %}{{ w() }}",
    "{% macro a() %}A{{ b() }}{% endmacro %}{% macro b() %}B{% endmacro %}{{ a() }}",
    "{% macro m(x) %}{% if x %}{{ m(x[1:]) }}{{ x[0] }}{% endif %}{% endmacro %}{{ m(s) }}",
    "{% macro m() -%}  x  {%- endmacro %}[{{ m() }}]",
    "{% macro m(x, y) %}{{ x }}{{ y }}{% endmacro %}{{ m(*[1, 2]) }}{{ m(**{'x': 3, 'y': 4}) }}"
    "{{ m(1, **{'y': 2}) }}",
    "{{ dict(*[d], **{'q': 1}) }}",
    "{% filter upper %}a{{ s }}b{% endfilter %}",
    "{% filter replace('a', 'b') | upper %}aac{% endfilter %}",
    "{% filter trim %}{% set q = 1 %} {{ q }} {% endfilter %}{{ q is defined }}",
    "{% with %}{% set q = 1 %}{{ q }}{% endwith %}{{ q is defined }}",
    "{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}{{ a is defined }}",
    "{% with s = s | upper %}{{ s }}{% endwith %}{{ s }}",
    "{% with a = 1, b = a %}{{ b }}{% endwith %}",
    "{% raw %}{{ x }} {% if %}{% endraw %}",
    "{% raw -%}  {{ x }}  {%- endraw %}|",
    "a {# comment {{ x }} #} b",
    "a {#- comment -#} b",
    "a {#\n multi\n#}\nb",
    "{% generation %}gen {{ s }}{% endgeneration %}",
    "{% for x in l %}{% generation %}{{ x }}{{ loop.index }}{% endgeneration %}{% endfor %}",
    "{% generation %}{% set q = 1 %}{% endgeneration %}{{ q is defined }}",
    "{% block title %}B{{ s }}{% endblock %}",
    "{% block a %}x{% endblock a %}{{ self.a() }}",
    "{% set q = 1 %}{% block a %}{{ q }}{{ i }}{% endblock %}",
    "{% block a %}{% set q = 2 %}{% endblock %}{{ q is defined }}",
    "{% print s, i %}",
    "{% autoescape false %}{{ html }}{% endautoescape %}",
    "{% autoescape true %}<{{ html }}>{{ '<' }}{{ l }}{{ none }}{{ 1 }}{% endautoescape %}{{ html }}",
    "{% autoescape true %}{{ html | safe }}{{ html | e }}{{ html | upper }}{{ html | tojson }}"
    "{% endautoescape %}",
    "{% autoescape true %}{{ '<' ~ html }}{{ '<' ~ html | safe }}{{ '<' + html }}"
    "{{ '<%s>' | format(html) }}{% endautoescape %}",
    "{% autoescape true %}{{ [html, '&'] | join('<') }}{{ [html | safe, '&'] | join('<') }}"
    "{{ [html, '&'] | join('<' | safe) }}{% endautoescape %}",
    "{% autoescape true %}{{ html | replace('<', '&') }}{{ html | safe | replace('<', '&') }}"
    "{{ html | replace('<', '&' | safe) }}{{ {'a': html} | xmlattr }}{% endautoescape %}",
    "{% macro m(a) %}<{{ a }}>{{ caller() if caller }}{% endmacro %}{{ m(html) }}"
    "{% autoescape true %}{{ m(html) }}{% call m('&') %}{{ html }}{% endcall %}{% endautoescape %}",
    "{% autoescape true %}{% macro m(a) %}<{{ a }}>{% endmacro %}{{ m(html) }}{{ m(html) | length }}"
    "{% endautoescape %}",
    "{% autoescape true %}{% set q %}<{{ html }}>{% endset %}{{ q }}{% set q = html %}{{ q }}"
    "{% set q | upper %}<{{ html }}>{% endset %}{{ q }}{% endautoescape %}",
    "{% autoescape true %}{% filter upper %}<{{ html }}>{% endfilter %}"
    "{% for x in [['<']] recursive %}{{ x if x is string else loop(x) }}{% endfor %}"
    "{% block b %}<{{ html }}>{% endblock %}{{ self.b() }}{% endautoescape %}",
    "{% autoescape true %}{% autoescape false %}{{ html }}{% endautoescape %}{{ html }}"
    "{% set q = html %}{% endautoescape %}{{ q is defined }}",
    "{% autoescape true %}{{ {'a': html}.b }}{{ (html | safe) + '<' }}{{ '<' + (html | safe) }}"
    "{{ '%s' % html }}{{ ('%s' | safe) % html }}{% generation %}{{ html }}{% endgeneration %}"
    "{% endautoescape %}",
    "{% set j = joiner('|') %}{% for x in l %}{{ j() }}{{ x }}{% endfor %}",
    "{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }}"
    "{{ c.reset() }}{{ c.current }}",
    "{% set g = l | map('string') %}{{ g | list }}{{ g | list }}",
    "{% set g = users | selectattr('nope.nope') %}fine",
    "{% for x in l -%}\n  {{ x }}\n{%- endfor %}",
    "{%- for x in l %}\n  {{- x -}}\n{% endfor -%}\n end",
    "  {% if yes %}\n  a\n  {% endif %}\n  b",
    "  {%+ if yes %}\n  a\n  {%- endif +%}\n  b",
    "\t{% if yes %}x{% endif %}\t\n\n{{ s }}\n\n",
    "a\n  {# c #}\n  b",
    "a\n  {{ s }}\n  b",
    "x {% if yes %} y {% endif %} z",
    "{% if yes %}\n\n\nx{% endif %}",
    "line\r\n{% if yes %}\r\na\r\n{% endif %}\rb",
    "{{ s }}\n",
    "{{ s }}\n\n",
    "\n{{ s }}",
    "{{ s -}}   \n  x",
    "x  \n {{- s }}",
    "{{- s -}}",
    "{%- if yes -%} a {%- endif -%}",
    "{{ '{{' }} {{ '%}' }} {{ \"}}\" }}",
    "{{ {'a': {'b': 1}}.a.b }}{{ {'a': {'b': {}}} }}",
    "{{ [[1, 2], [3]] [0] [1] }}",
    "{ { } } {a} % #",
    "{% for x in l: %}{{ x }}{% endfor: %}",
    "{% if true: %}x{% endif %}",
    "{%if yes%}tight{%endif%}",
    "{{s}}{{i}}",
    "{% set x = {'a': 1} %}{{ x.a }}{% set y = [x, x] %}{{ y }}",
    "{{ strftime_now('%Y-%m-%d %H:%M:%S %j %A %B %y %b %d %p %f|%z|%Z %-d %%') }}",
    "{% set content = none %}{{ content if content is string else content | tojson }}",
    "{{ ('a' if no else none) is none }}",
    "{% set loop_messages = users %}{% for m in loop_messages[::-1] %}{{ m.name }}{% endfor %}",
    "{{ namespace is defined }}{{ range is defined }}{{ lipsum is undefined and false }}",
    "{% set ns = namespace(found=false) %}{% for u in users %}{% if u.name == 'alice' and not "
    "ns.found %}{% set ns.found = true %}{{ loop.index0 }}{% endif %}{% endfor %}{{ ns.found }}",
    "{% for i in range(3) %}{{ i }}{% endfor %}{{ i }}",
    "{% set x = 1 %}{% macro m(x=x) %}{{ x }}{% endmacro %}{{ m() }}",
    "{% set x = 1 %}{% macro m(y=x) %}{{ y }}{% endmacro %}{% set x = 2 %}{{ m() }}",
    "{% for a in l %}{% for b in l if b > a %}{{ a }}{{ b }} {% endfor %}{% endfor %}",
    "{% set ns = namespace(n=0) %}{% for x in l if x > ns.n %}{% set ns.n = x %}{{ x }}{% endfor %}",
    "{% for x in range(3) %}{% set ns = namespace(v=x) %}{{ ns.v }}{% endfor %}",
    "{% for g in users | groupby('age') %}{{ g.grouper }}:{{ g.list | length }} "
    "{{ g[0] }}{{ g | length }}{% endfor %}",
    "{% for k, v in users | groupby('age') %}{{ k }}{{ v | length }}{% endfor %}",
    "{% set x %}{% for y in l %}{{ y }}{% if loop.last %}{% break %}{% endif %}{% endfor %}"
    "{% endset %}{{ x }}",
]

ERRORS = wrap(r"""
undefined_thing.x
undefined_thing['x']
undefined_thing[0]
undefined_thing()
undefined_thing + 1
1 + undefined_thing
undefined_thing < 1
-undefined_thing
undefined_thing | int
undefined_thing | float
undefined_thing | abs
undefined_thing | tojson
undefined_thing | indent
undefined_thing | dictsort
undefined_thing ** 2
'a' in undefined_thing.x
undefined_thing in 'abc'
el[0].role
l[5].x
d.missing.x
d.missing()
nested.x[1].y
s.nope()
s + 1
s + none
s + l
1 + s
l + s
l + (1,)
none + 1
d + d
s - 1
s * 1.5
s / 2
l * 'a'
1 / 0
1 // 0
1 % 0
1.0 / 0
0 ** -1
-s
-l
+none
1 < 'a'
none < 1
[1] < ['a']
d < d
1 in 5
1 in none
1 in 'abc'
'%d' % 'x'
'%s %s' % ('a',)
'%s' % ('a', 'b')
'%z' % 1
'%(a)s' % 1
'%(q)s' % d
'%' % 1
'%d' % none
'a' % 1
i.foo.bar
i()
s()
l()
s.upper(1)
s.split(1)
s.split('')
s.join([1])
s.join(5)
s.replace('a')
s.replace(1, 2)
s.startswith(1)
s.startswith(['a'])
s.index('zzz')
s.center('a')
s.zfill()
','.join(l)
'{}'.format()
'{x}'.format(y=1)
'{:d}'.format('a')
'{'.format()
'}'.format()
'{0} {}'.format(1, 2)
'{:q}'.format(1)
d.get()
d.pop('a')
d.update({'x': 1})
d.clear()
d.setdefault('x', 1)
l.append(1)
l.pop()
l.sort()
l.extend([1])
l.remove(1)
l.insert(0, 1)
l.reverse()
l.index(99)
s.__class__.__mro__
s.__class__()
''.__class__.x
l.__len__()
raise_exception('boom')
raise_exception('bad role: ' + s)
raise_exception(5)
raise_exception()
range('a')
range()
range(1.5)
range(1, 2, 0)
range(1000000)
dict(1)
dict([1])
dict([[1, 2, 3]])
namespace(1)
namespace(_x=1)
cycler()
strftime_now(5)
n | length
i | length
l | map('string') | length
l | select | tojson
d.keys() | tojson
d.items() | length
range(3) | tojson
namespace() | tojson
n | list
i | list
n | join
i | first
n | last
l | map('string') | last
n | reverse
i | reverse
n | sort
mixed | sort
[1, 'a'] | max
[d, d] | sort
s | sum
ls | sum
n | abs
s | abs
n | round
s | round
1 | round(0, 'nope')
l | indent
i | indent
l | dictsort
d | dictsort(by='x')
l | items | list
s | truncate(2)
l | batch | list
l | slice(0) | list
l | map('nope') | list
l | map | list
l | select('nope') | list
users | selectattr | list
users | map(attribute='name', x=1) | list
users | map(attribute='name.x.y') | list
users | sort(attribute='tags.x.y') | list
users | groupby('name.x.y') | list
users | sum(attribute='name')
users | join(',', attribute='a.b.c')
'inf' | float | int
{(1, 2): 3} | tojson
{1: 'a', 'b': 2} | tojson(sort_keys=true)
l | tojson(nope=1)
l | tojson(1, 2, 3, 4, 5)
s | trim(5)
s | replace('a')
s | upper(1)
s | default(1, 2, 3)
'%s' | format('a', b=1)
s | center('x')
{'a b': 1} | xmlattr
s is divisibleby 2
d is filter
l is test
s is odd
n is odd
i is divisibleby 0
i is gt 'a'
1 is in 5
i is eq
i is defined(1)
{[1]: 2}
{{}: 2}
d[l] is defined and d[l].x
[l] | unique | list
s[1.5].x
s['a':]
l['a']['b']
d[1:2]
i[1:2]
n[1:2]
s[::0]
l[1:2, 3]
[] is sameas
s | nope
s is nope
1 if yes is nope
(yes or x) is nope2
s.format_map(1)
""") + [
    "{% if no %}{{ s | nope }}{% endif %}ok",
    "{% if yes %}{{ s | nope }}{% endif %}ok",
    "{{ s | nope if no else 'ok' }}",
    "{% if no %}{{ s is nope }}{% endif %}ok",
    "{% if no %}{% for x in l %}{{ x | nope }}{% endfor %}{% endif %}ok",
    "{% for x in 5 %}{% endfor %}",
    "{% for x in none %}{% endfor %}",
    "{% for x in none if x %}{% endfor %}",
    "{% for a, b in l %}{% endfor %}",
    "{% for a, b in [[1]] %}{% endfor %}",
    "{% for a, b in [[1, 2, 3]] %}{% endfor %}",
    "{% set a, b = 1 %}",
    "{% set a, b = [1, 2, 3] %}",
    "{% set s.x = 1 %}",
    "{% set q.x = 1 %}",
    "{% set d.x = 1 %}",
    "{% set ns = namespace() %}{% set ns._x = 1 %}",
    "{% set none = 1 %}",
    "{% set 'a' = 1 %}",
    "{% set a.b.c = 1 %}",
    "{% set a[0] = 1 %}",
    "{% set loop = 1 %}{{ loop }}",
    "{% for x in l %}{% set loop = 1 %}{% endfor %}",
    "{% for loop in l %}{% endfor %}",
    "{% break %}",
    "{% continue %}",
    "{% for x in l %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}",
    "{% for x in l %}{{ loop(x) }}{% endfor %}",
    "{% for x in l %}{{ loop.nope.x }}{% endfor %}",
    "{% for x in l %}{{ loop.cycle() }}{% endfor %}",
    "{% for x in el %}{% endfor %}{{ loop.index }}",
    "{% macro m(a) %}{{ a.x }}{% endmacro %}{{ m() }}",
    "{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}",
    "{% macro m(a) %}{% endmacro %}{{ m(b=1) }}",
    "{% macro m(a, a) %}{% endmacro %}",
    "{% macro m(a=1, b) %}{% endmacro %}",
    "{% macro m(caller) %}{{ caller }}{% endmacro %}",
    "{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}",
    "{% macro m() %}{% endmacro %}{% call m() %}{% endcall %}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% call s %}{% endcall %}",
    "{% for x in tree recursive %}{{ loop(tree) }}{% endfor %}",
    "{{ dict(a=1, a=2) }}", "{{ dict(**{'a': 1}, a=2) }}", "{{ dict(**l) }}", "{{ dict(*5) }}",
    "{{ s(a=1, 2) }}",
    "{% include 'x' %}", "{% import 'x' as y %}", "{% extends 'x' %}", "{% from 'x' import y %}",
    "{% if no %}{% include 'x' %}{% endif %}fine",
    "{% block a %}{% endblock %}{% block a %}{% endblock %}",
    "{% block a-b %}{% endblock %}",
    "{{ self.nope() }}",
    "{% if %}{% endif %}", "{% if yes %}", "{% if yes %}{% endfor %}", "{% endif %}", "{% else %}",
    "{% for x in l %}", "{% for x l %}{% endfor %}", "{% for in l %}{% endfor %}", "{% nope %}",
    "{% %}", "{{ }}", "{{ 1 + }}", "{{ (1 }}", "{{ 1) }}", "{{ [1 }}", "{{ {1} }}", "{{ 'a }}",
    "{{ a b }}", "{{ a | }}", "{{ a | 1 }}", "{{ a is }}", "{{ a is 1 }}", "{{ a.}}", "{{ a.1.5 }}",
    "{{ 'a' is string is defined }}", "{{ a ! b }}", "{{ a $ }}", "{{ a && b }}", "{{ `a` }}",
    "{# open", "{% raw %} open", "{{ open", "{% open", "{{ '\\x4' }}", "{{ '\\u12' }}", "{{ 012 }}",
    "{{ a if }}", "{{ not }}", "{{ x = 1 }}", "{% set x %}", "{% set x = %}", "{% set %}",
    "{% macro %}{% endmacro %}", "{% macro m %}{% endmacro %}", "{% filter nope %}{% endfilter %}",
    "{% filter %}{% endfilter %}", "{% do x %}", "{% set x = 1, %}{{ x }}", "{% endset %}",
    "{% generation %}", "{% endgeneration %}", "{% print %}x", "{{ a[ }}", "{{ [1, 2 3] }}",
    "{{ f(a b) }}", "{{ {'a' 1} }}", "{{ 1..2 }}", "{{ 5.upper }}", "{{ é }}", "{{ 1a }}",
]

LINKS = wrap(r"""
'http://example.com' | urlize
'see https://example.com/a?b=c#d, and (www.example.org).' | urlize
'example.com example.net. a.int a.mil ab.info example.dev example' | urlize
'http://localhost:8080/x http://1.2.3.4 http://1.2.3.4:80/ http://[::1]/ http://[2001:db8::1]:8' | urlize
'http://[1:2:3:4:5:6:7:8] http://[12345::1] http://[:] http://[a:b:cdefabcd:]' | urlize
'http://1.2.3 http://1.2.3.4567 https://1.2.3.4.5 http://a..b http://.com http://x' | urlize
'HTTP://Example.COM Https://EXAMPLE.org WWW.Example.Com www.x www.xy www.x.y.zz' | urlize
'http\u017f://example.com http://exa.\u212aom http://x.\u0131\u0130' | urlize
'http://xn--bcher-kva.xn--p1ai www.xn--p www.xn--p1 http://x.xn--a%b' | urlize
'http://b\u00fccher.de http://x.m\u00fc www.\u65e5\u672c.jp http://a_b.com http://a-b%.com' | urlize
'http://x.com:123456 http://x.com:12x http://x.com:\u0661 http://x.com: http://x.com/' | urlize
'http://x.com?q http://x.com#f http://x.com;p http://user@x.com' | urlize
'a@b.c user.name+tag@example.co.uk a@b a@b. a@.b @a@b.c a@b@c.d a@b-c.d a@b..c a@_.x' | urlize
'mailto:a@b.c mailto:a@b mailto: MAILTO:a@b.c www.a@b.c x:a@b.c' | urlize
'(http://x.com) ((http://x.com/(a))) http://x.com/(a) (http://x.com/(a) http://x.com/(a))).,' | urlize
'<http://x.com> <http://x.com/<a>> <a@b.c>. &lt;http://x.com&gt;' | urlize
'<http://x.com> (&lt;http://x.com/&lt;a&gt;&gt;).' | safe | urlize
'http://x.com/a"b\'c&d' | urlize
'http://x.com,, ...http://x.com http://x.com... ,' | urlize
'  http://x.com\n\thttp://y.com\u00a0http://z.com\u2028http://w.com ' | urlize
'' | urlize
none | urlize
12 | urlize
['http://x.com'] | urlize
undefined_name | urlize
html | urlize
'http://example.com/a/long/path' | urlize(12)
'http://example.com/a/long/path' | urlize(30)
'http://example.com/a/long/path' | urlize(29)
'http://example.com/a/long/path' | urlize(-5)
'http://example.com/a/long/path' | urlize(0)
'http://ex\u00e4mple.com/a/long' | urlize(9)
'http://x.com' | urlize(none, true)
'http://x.com' | urlize(nofollow=true, rel='b a b')
'http://x.com a@b.c' | urlize(rel='<x> noopener', target='_blank"')
'http://x.com' | urlize(target='')
'http://x.com' | urlize(target=5)
'http://x.com' | urlize(rel=5)
'http://x.com' | urlize('a')
'http://x.com' | urlize(rel='')
'tel:123 ftp://a.b tel: x' | urlize(extra_schemes=['tel:', 'ftp://'])
'tel:123' | urlize(extra_schemes=['tel:', 'tel:'])
'tel:123' | urlize(extra_schemes=('tel',))
'tel:123' | urlize(extra_schemes='tel:')
'tel:123' | urlize(extra_schemes=['tel:///'])
'tel:123' | urlize(extra_schemes=[1])
'tel:123' | urlize(extra_schemes=[])
'http://x.com' | urlize(1, 2, 3, 4, 5, 6)
('http://x.com' | urlize) | length
'urlize' is filter
'random' is filter
[5] | random
'x' | random
(7,) | random
range(3, 4) | random
{0: 'v'} | random
[] | random
'' | random
undefined_name | random
5 | random
{'a': 1} | random
[5] | random(1)
([5] | map('string')) | random
""") + [
    "{% autoescape true %}{{ 'http://x.com <b>' | urlize }}{{ html | safe | urlize }}{% endautoescape %}",
    "{% for w in ['(', ')', '.', 'http://x.com'] %}{{ ('(' * 2 ~ w ~ ')' * 3) | urlize }} {% endfor %}",
]

COMPUTED_ESCAPES = [
    "{% autoescape yes %}{{ html }}{% endautoescape %}{{ html }}",
    "{% autoescape no %}{{ html }}{% endautoescape %}",
    "{% autoescape yes %}{{ '<' }}{{ '<' ~ '>' }}{{ '<' ~ html }}{{ ['<'] }}{{ '<' | upper }}<{% endautoescape %}",
    "{% autoescape undefined_name %}{{ html }}{% endautoescape %}",
    "{% autoescape i %}{{ html }}{{ html | safe }}{{ html | e }}{% endautoescape %}",
    "{% autoescape not false %}{{ html }}{{ '<' }}{{ '<' ~ html }}{% endautoescape %}",
    "{% autoescape 1 == 2 %}{{ html }}{{ '<' }}{% endautoescape %}",
    "{% autoescape 'x' %}{{ html }}{{ '<' }}{% endautoescape %}",
    "{% autoescape none %}{{ html }}{{ '<' }}{% endautoescape %}",
    "{% autoescape true %}{% autoescape no %}{{ html }}{{ '<' }}{% endautoescape %}{{ html }}{% endautoescape %}",
    "{% autoescape yes %}{% autoescape false %}{{ html }}{{ '<' }}{{ '<' ~ html }}{% endautoescape %}{{ html }}"
    "{% endautoescape %}",
    "{% autoescape no %}{% autoescape true %}{{ html }}{{ '<' }}{{ '<' ~ (html | safe) }}{% endautoescape %}"
    "{{ html }}{% endautoescape %}",
    "{% autoescape yes %}{% macro m(a) %}<{{ a }}>{% endmacro %}{{ m(html) }}{% endautoescape %}",
    "{% autoescape yes %}{% set m %}<{{ html }}>{% endset %}{{ m }}{% set q | upper %}<{{ html }}>{% endset %}{{ q }}"
    "{% endautoescape %}",
    "{% autoescape yes %}{% filter upper %}<{{ html }}>{% endfilter %}{% endautoescape %}",
    "{% autoescape no %}{% filter upper %}<{{ html }}>{% endfilter %}{% endautoescape %}",
    "{% autoescape yes %}{{ [html, '&'] | join('<') }}{{ html | replace('<', '&') }}{{ html | tojson }}"
    "{% endautoescape %}",
    "{% autoescape yes %}{% for x in tree recursive %}<{{ x.n }}{{ loop(x.c) }}>{% endfor %}{% endautoescape %}",
    "{% autoescape yes %}{% call(x) undefined_name | default(dict) %}{{ html }}{% endcall %}{% endautoescape %}",
    "{% macro w() %}{{ caller() }}{% endmacro %}{% autoescape yes %}{% call w() %}<{{ html }}>{% endcall %}"
    "{% endautoescape %}",
    "{% set f = true %}{% autoescape f %}{% set f = false %}{{ html }}{{ f }}{% endautoescape %}{{ f }}",
    "{% autoescape f %}{% set f = true %}{{ html }}{{ f }}{% endautoescape %}{{ f is defined }}",
    "{% for flag in [true, false, 0, 1, '', 'a', [], [0]] %}{% autoescape flag %}{{ html }}{% endautoescape %}"
    "{% endfor %}",
    "{% autoescape yes %}{% block b %}<{{ html }}>{% endblock %}{{ self.b() }}{% endautoescape %}",
    "{% autoescape yes and l %}{{ html if yes else '<' }}{{ '<' if yes }}{{ ('<' ~ html) | length }}{% endautoescape %}",
    "{% autoescape i.x.y %}{{ html }}{% endautoescape %}",
    "{% autoescape %}{{ html }}{% endautoescape %}",
    "{% autoescape yes %}{{ 1 }}{{ none }}{{ l }}{{ d }}{{ html[0] }}{{ 'a<b'[1] }}{{ {'k': '<'}.k }}{% endautoescape %}",
]

CASES = [("literals", LITERALS), ("operators", OPERATORS), ("access", ACCESS),
         ("string methods", STRING_METHODS), ("filters", FILTERS), ("tests", TESTS),
         ("statements", STATEMENTS), ("errors", ERRORS),
         ("links", LINKS), ("computed escapes", COMPUTED_ESCAPES)]
