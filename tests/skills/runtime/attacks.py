"""Programs that want more than they are given: escapes, leaks and exhaustions.

Each returns ``ok`` with its loot where it succeeds. ``{mark}`` stands for a file that it tries to write, ``{secret}``
for one that it tries to read.
"""

from typing import NamedTuple

from tests.skills.runtime.programs import ENTRY, program


class Attack(NamedTuple):
    """A program, and whether running to its end is no harm: it changes copies, or sees the name of a stand-in."""

    name: str
    code: str
    harmless: bool = False


def attack(name: str, *lines: str, harmless: bool = False) -> Attack:
    """Return an attack of these lines; a line that begins with ``loot =`` is what it is after."""
    body = list(lines)
    if any(line.lstrip().startswith("loot") for line in body):
        body.append("return {'ok': True, 'message': str(loot)[:400]}")
    elif not body[-1].lstrip().startswith("return"):
        body.append("return {'ok': True, 'message': 'went through'}")
    return Attack(name, program(*body), harmless)


def whole(name: str, code: str, *, harmless: bool = False) -> Attack:
    """Return an attack of a whole source."""
    return Attack(name, code, harmless)


WALKS = [
    attack("class of an argument", "loot = args.__class__.__mro__[-1].__subclasses__()"),
    attack("class of a text", "loot = ''.__class__.__base__.__subclasses__()"),
    attack("class of env", "loot = env.__class__.__init__.__globals__"),
    attack("dict of env", "loot = env.__dict__"),
    attack("method's function", "loot = env.click.__func__.__globals__"),
    attack("method's self", "loot = env.click.__self__"),
    attack("bound method kept", "f = env.click", "f('#a')", "loot = f.__self__.secret"),
    attack("public secret of env", "loot = env.secret"),
    attack("hidden secret of env", "loot = env.hidden"),
    attack("world behind env", "loot = env._env"),
    attack("wrapped value", "loot = env.value"),
    attack("globals of the program", "loot = program__x.__globals__"),
    attack("code of the program", "loot = program__x.__code__.co_consts"),
    attack("closure", "def inner():", "    return env", "loot = inner.__closure__[0].cell_contents.__class__"),
    attack("builtins by name", "loot = __builtins__"),
    attack("import by name", "loot = __import__('os').environ"),
    attack("loader", "loot = __loader__"),
    attack("getattr", "loot = getattr(args, '__class__').__mro__"),
    attack("getattr of env", "loot = getattr(env, 'secret')"),
    attack("split dunder", "loot = getattr(env, '__cl' + 'ass__').__init__"),
    attack("vars", "loot = vars(env)"),
    attack("dir to class", "loot = [getattr(env, name) for name in dir(env) if 'secret' in name][0]"),
    attack("type with three arguments", "loot = type('X', (object,), {'a': 1})().__class__.__mro__"),
    attack("subclasses through type", "loot = type.__subclasses__(object)"),
    attack("locals and globals", "loot = globals()['__builtins__']"),
]
FRAMES = [
    attack(
        "traceback",
        "try:",
        "    1 / 0",
        "except Exception as error:",
        "    loot = error.__traceback__.tb_frame.f_globals",
    ),
    attack(
        "frames above",
        "try:",
        "    env.click('#missing')",
        "except Exception as error:",
        "    loot = error.__traceback__.tb_frame.f_back.f_back.f_globals",
    ),
    attack("generator's frame", "g = (1 for i in [1])", "loot = g.gi_frame.f_back.f_globals"),
    attack("generator's code", "g = (1 for i in [1])", "loot = g.gi_code.co_consts"),
    attack(
        "error's cause", "try:", "    env.click('#b')", "except Exception as error:", "    loot = error.__cause__.args"
    ),
    attack(
        "host error's reason", "try:", "    env.click('#b')", "except Exception as error:", "    loot = error.reason"
    ),
    attack("error that carries env", "raise ValueError(env)"),
    attack("error with a hostile text", "raise ValueError('x' * 3000000)"),
    attack("system exit", "raise SystemExit(0)"),
    attack("keyboard interrupt", "raise KeyboardInterrupt"),
    attack("exit", "exit()"),
    attack(
        "catches everything", "try:", "    while True:", "        pass", "except BaseException:", "    loot = 'went on'"
    ),
    attack(
        "name of an error", "try:", "    raise NameError('x')", "except Exception as e:", "    loot = e.name.__class__"
    ),
]
FORMATS = [
    attack("format attribute", "loot = '{0.__class__}'.format(env)", harmless=True),
    attack("format secret", "loot = '{0.secret}'.format(env)"),
    attack("format globals", "loot = '{0.__init__.__globals__}'.format(env)"),
    attack("format map", "loot = '{a.__class__}'.format_map({'a': env})"),
    attack("format through the class", "loot = str.format('{0.__class__}', env)"),
    attack("format through map", "loot = list(map('{0.__class__}'.format, [env]))"),
    attack("format in an f-string", "loot = f'{env.secret}'"),
    attack("percent", "loot = '%(secret)s' % env"),
    attack("wide padding", "loot = len(f'{1:>3000000000}')"),
    attack("wide percent", "loot = len('%3000000000d' % 1)"),
]
CODE = [
    attack("import os", "import os", "loot = dict(os.environ)['HOME']"),
    attack("import from", "from os import environ", "loot = environ['PATH']"),
    attack("import subprocess", "import subprocess", "loot = subprocess.check_output(['id'])"),
    attack("import socket", "import socket", "loot = socket.socket()"),
    attack("import ctypes", "import ctypes", "loot = ctypes.CDLL(None).getpid()"),
    attack("import inspect", "import inspect", "loot = inspect.stack()"),
    attack("import gc", "import gc", "loot = gc.get_objects()"),
    attack("import sys", "import sys", "loot = sys.modules['os']"),
    attack("import threading", "import threading", "threading.Thread(target=print).start()"),
    attack("import pickle", "import pickle", "loot = pickle.loads(b'cos\\nsystem\\n(S\"id\"\\ntR.')"),
    attack("import of this project", "import personalized_shopping.config as config", "loot = config.SETTINGS"),
    attack("eval", "loot = eval('__import__(\"os\").environ')"),
    attack("exec", "exec('import os\\nos.system(\"touch {mark}\")')"),
    attack("compile", "loot = eval(compile('1', 'x', 'eval'))"),
    attack("breakpoint", "breakpoint()"),
    attack("input", "loot = input()"),
    attack("help", "help(env)"),
    whole(
        "code beside the function",
        "import os\nLOOT = os.environ\n" + program("return {'ok': True, 'message': str(LOOT)}"),
    ),
    whole("shadowed entry", program("return {'ok': True}") + f"{ENTRY} = print\n"),
    whole("decorator", "@print\n" + program("return {'ok': True}")),
    whole(
        "default value",
        f"def {ENTRY}(env, locators, args, options=open('{{secret}}').read()):\n    return {{'ok': True}}\n",
    ),
    whole(
        "annotation",
        f"def {ENTRY}(env: __import__('os'), locators, args, options):\n    return {{'ok': True}}\n",
        harmless=True,
    ),
    whole("ends the call early", "x = 1\n)\nimport os\n(\n"),
    whole("null byte", program("return {'ok': True}") + "\0"),
    whole("not a program", "\x1b]0;title\x07"),
]
FILES = [
    attack("read a file", "loot = open('{secret}').read()"),
    attack("write a file", "open('{mark}', 'w').write('x')"),
    attack("read with pathlib", "from pathlib import Path", "loot = Path('{secret}').read_text()"),
    attack("write with pathlib", "from pathlib import Path", "Path('{mark}').write_text('x')"),
    attack("list files", "import os", "loot = os.listdir('/')"),
    attack("own process", "loot = open('/proc/self/environ').read()"),
    attack("environment variable", "import os", "loot = os.getenv('SKILL_TEST_SECRET', 1 / 0)"),
    attack("set environment", "import os", "os.environ['SKILL_TEST_SECRET'] = 'changed'"),
    attack("fork", "import os", "while True:", "    os.fork()"),
    attack("system", "import os", "loot = os.system('touch {mark}')"),
    attack("kill the parent", "import os", "import signal", "os.kill(os.getppid(), signal.SIGKILL)"),
]
OBJECTS = [
    attack("set an attribute of env", "env.click = lambda selector: None", "loot = env.click('#b')", harmless=True),
    attack("new attribute of env", "env.mine = 1", harmless=True),
    attack("setattr on env", "setattr(env, 'secret', 'changed')", harmless=True),
    attack("delete a method", "del env.click"),
    attack("delattr", "delattr(env, 'click')"),
    attack("patch a builtin", "dict.get = None"),
    attack("patch a builtin class", "setattr(str, 'upper', None)"),
    attack("return env", "return env"),
    attack("env in the result", "return {'ok': True, 'evidence': {'env': env}}"),
    attack("a method in the result", "return {'ok': True, 'evidence': {'f': env.click}}"),
    attack("a function in the result", "return {'ok': True, 'evidence': {'f': [].append}}"),
    attack("an error in the result", "return {'ok': True, 'evidence': {'e': ValueError('x')}}"),
    attack("a result with a class", "class R(dict):", "    pass", "return R(ok=True, evidence={'r': R})"),
    attack("a text that is none", "class S(str):", "    pass", "return {'ok': True, 'message': S('x'), 'more': S}"),
    attack("ok that is no truth", "return {'ok': 1, 'message': 'x'}"),
    attack("env as an argument", "env.click(env)"),
    attack("a list as an argument", "env.click(['#a'])"),
    attack("a function as an argument", "env.click(lambda: '#a')"),
    attack("a method that is none", "env.count('#a')"),
    attack("the page's markup", "loot = env.html()"),
    attack("private method", "env.__init__()"),
    attack("keywords from outside", "env.click(**{'selector': '#a', '_world': 1})"),
    attack(
        "changes what it was given", "args['list'].append(2)", "locators.clear()", "options['x'] = 1", harmless=True
    ),
    attack("global names", "global ENTRY", "ENTRY = 1", harmless=True),
    attack("a metaclass", "class M(type):", "    pass", "class A(metaclass=M):", "    pass", "loot = A.__mro__"),
    attack(
        "descriptor",
        "class P:",
        "    def __get__(self, a, b):",
        "        return a",
        "loot = P().__get__(env, 1).secret",
    ),
    attack("lambda default", "f = lambda e=env: e.secret", "loot = f()"),
    attack("nested generator", "def g():", "    yield env", "loot = next(g()).secret"),
    attack("async", "async def f():", "    return env", "loot = f().cr_frame.f_globals"),
    attack("property of a module", "import math", "loot = math.__loader__.__class__"),
]
EXHAUSTIONS = [
    attack("endless loop", "while True:", "    pass"),
    attack("endless iteration", "for x in iter(int, 1):", "    pass"),
    attack("long sum", "loot = sum(range(10 ** 12))"),
    attack("huge text", "loot = len('x' * 10 ** 10)"),
    attack("growing text", "a = 'x'", "while True:", "    a = a + a"),
    attack("growing list", "a = [0]", "while True:", "    a = a + a"),
    attack("appending", "a = []", "while True:", "    a.append('x' * 1000)"),
    attack("growing map", "a, i = {}, 0", "while True:", "    i += 1", "    a[i] = [i] * 50"),
    attack("huge tuple", "loot = len((0,) * 10 ** 10)"),
    attack("huge power", "loot = len(str(9 ** 9 ** 9))"),
    attack("huge shift", "loot = (1 << 10 ** 11) % 7"),
    attack("growing number", "a = 7", "while True:", "    a = a * a"),
    attack("big number as text", "loot = len(str(7 ** 200000))"),
    attack("nested lists", "a = []", "for i in range(10 ** 7):", "    a = [a]", "loot = repr(a)"),
    attack(
        "nested result", "a = {}", "for i in range(5000):", "    a = {'a': a}", "return {'ok': True, 'evidence': a}"
    ),
    attack("result of itself", "a = {}", "a['a'] = a", "return {'ok': True, 'evidence': a}", harmless=True),
    attack("deep recursion", "def f(n):", "    return f(n + 1)", "loot = f(0)"),
    attack("mutual recursion", "def f(n):", "    return g(n)", "def g(n):", "    return f(n + 1)", "loot = f(0)"),
    attack("recursive comparison", "a, b = [], []", "a.append(b)", "b.append(a)", "loot = a == b"),
    attack(
        "many permutations",
        "loot = len([(a, b, c, d) for a in range(999) for b in range(999) for c in range(999) for d in range(999)])",
    ),
    attack("joining", "loot = len(','.join(['x' * 10 ** 6] * 10 ** 5))"),
    attack("replacing", "loot = len(('x' * 10 ** 6).replace('x', 'y' * 10 ** 6))"),
    attack("sorting", "loot = sorted(range(10 ** 9), key=lambda x: -x)"),
    attack("regular expression", "import re", "loot = re.match('(a+)+$', 'a' * 64 + 'b').group()"),
    attack("sleep", "import time", "time.sleep(60)", "loot = env.secret"),
    attack("asks without end", "while True:", "    env.exists('#a')"),
    attack(
        "asks and swallows",
        "while True:",
        "    try:",
        "        env.click('#b')",
        "    except BaseException:",
        "        pass",
    ),
    attack("asks with much", "env.type('#a', 'x' * 5000000)"),
    attack("long selector", "env.click('#' * 5000000)"),
    attack("reads much", "loot = len(env.text('#a'))"),
    attack("prints much", "while True:", "    print('x' * 1000)"),
    attack("prints at once", "print('x' * 5000000)"),
    attack("returns much", "return {'ok': True, 'evidence': {'a': 'x' * 1000000}}"),
    attack("returns many", "return {'ok': True, 'evidence': {'a': [0] * 200000}}"),
    attack("many keys", "return {'ok': True, 'evidence': {str(i): i for i in range(50000)}}"),
    attack("huge number", "return {'ok': True, 'evidence': {'a': 2 ** 100000}}"),
    attack("no number", "return {'ok': True, 'evidence': {'a': float('nan')}}"),
    attack("no text", "return {'ok': True, 'message': b'x'}"),
    whole("huge source", program("x = 1") + "    x = 1\n" * 300_000),
    whole("deep source", program("return " + "[" * 900 + "]" * 900)),
    whole("deeper source", program("return " + "(" * 50_000 + ")" * 50_000)),
    whole("long chain", program("return args" + ".x" * 20_000)),
    whole("many operators", program("return " + "-" * 50_000 + "1")),
    whole("folded constant", program("return {'ok': True, 'message': 'x' * 999999999}")),
    whole("many names", program(*[f"v{i} = {i}" for i in range(30_000)], "loot = 1", "return {'ok': 1}")),
]

ATTACKS = [*WALKS, *FRAMES, *FORMATS, *CODE, *FILES, *OBJECTS, *EXHAUSTIONS]
