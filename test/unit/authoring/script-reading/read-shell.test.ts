import { describe, expect, test } from 'vitest';
import { readScript } from '../../../../src/authoring/script-reading/read-script.js';
import { parametersOf } from '../../../../src/authoring/script-reading/reading.js';

const read = (code: string) => readScript('ops/x.sh', `#!/usr/bin/env bash\n${code}`);
const parametersIn = (code: string) =>
  parametersOf(read(code).commands[0] ?? { parts: [], words: [], knowsEnd: false });

describe('getopts', () => {
  const BACKUP = `# Backs up a folder
KEEP=7
usage() {
  echo "Usage: $0 -d DIR [-k N] [-z]"
  echo "  -k N   how many to keep"
  exit 1
}
while getopts ":d:k:m:zh" opt; do
  case $opt in
    d) DIR=$OPTARG ;;   # the folder
    k) KEEP="$OPTARG" ;;
    m) mode=\${OPTARG} ;;
    z) COMPRESS=1 ;;
    h|*) usage ;;
  esac
done
shift $((OPTIND - 1))
[ -z "$DIR" ] && usage
[ "$KEEP" -lt 1 ] && exit 1
case "$mode" in
  full) : ;;
  part) : ;;
  *) echo "no such mode" >&2; exit 2 ;;
esac
for target in "$@"; do echo "$target"; done
`;

  test('yields names, types, defaults, choices and required options', () => {
    expect(parametersIn(BACKUP)).toEqual([
      { name: 'dir', flag: '-d', isJoined: false, takes: 'one', type: 'string', isRequired: true, help: 'the folder' },
      {
        name: 'keep',
        flag: '-k',
        isJoined: false,
        takes: 'one',
        type: 'integer',
        default: 7,
        isRequired: false,
        help: 'how many to keep',
      },
      {
        name: 'mode',
        flag: '-m',
        isJoined: false,
        takes: 'one',
        type: 'string',
        choices: ['full', 'part'],
        isRequired: false,
      },
      { name: 'compress', flag: '-z', takes: 'nothing', type: 'string', isRequired: false },
      { name: 'target', takes: 'several', type: 'string', isRequired: false },
    ]);
    expect(read(BACKUP)).toMatchObject({ summary: 'Backs up a folder', todos: [], commands: [{ knowsEnd: true }] });
  });

  test('with options that the script computes is left to its author', () => {
    expect(read('while getopts "$spec" o; do :; done').todos).toEqual([
      'line 2: add the options of `getopts`, which the script computes',
    ]);
  });
});

describe('a loop over the arguments', () => {
  test('reads the value after a flag, joined values, lists and remaining arguments', () => {
    const code = `
PORT=22
main() {
  while [[ $# -gt 0 ]]; do
    case "$1" in
      -p|--port) PORT="$2"; shift 2 ;;
      --host=*) HOST="\${1#*=}"; shift ;;
      -t|--tag) TAGS+=("$2"); shift; shift ;;
      -n|--dry-run) DRY=true; shift ;;
      -h|--help) usage; exit 0 ;;
      --) shift; break ;;
      -*) echo "unknown $1"; exit 1 ;;
      *) FILES+=("$1"); shift ;;
    esac
  done
}
log() { echo "$1: $2"; }
main "$@"
`;
    expect(parametersIn(code)).toEqual([
      { name: 'port', flag: '--port', isJoined: false, takes: 'one', type: 'string', default: '22', isRequired: false },
      { name: 'host', flag: '--host', isJoined: true, takes: 'one', type: 'string', isRequired: false },
      { name: 'tag', flag: '--tag', isJoined: false, takes: 'each', type: 'string', isRequired: false },
      { name: 'dry_run', flag: '--dry-run', takes: 'nothing', type: 'string', isRequired: false },
      { name: 'files', takes: 'several', type: 'string', isRequired: false },
    ]);
    expect(read(code).commands[0]?.knowsEnd).toBe(false);
  });

  test('can consist of conditions', () => {
    const code = `while :; do
  if [[ $1 = "-v" || $1 = "--verbose" ]]; then verbose=1; shift
  elif [[ ( $1 = "-m" || $1 = "--message" ) && -n $2 ]]; then message=$2; shift 2
  else break; fi
done`;
    expect(parametersIn(code).map(({ flag, takes }) => [flag, takes])).toEqual([
      ['--verbose', 'nothing'],
      ['--message', 'one'],
    ]);
  });
});

describe('positional parameters', () => {
  test.each([
    [
      'host=$1\nport=${2:-443}',
      [
        ['host', true, undefined],
        ['port', false, '443'],
      ],
    ],
    ['set -u\nout="${1:?where to}"\n', [['out', true, undefined]]],
    [
      'if [ $# -lt 1 ]; then echo "Usage: $0 <env> [tag]"; exit 1; fi\ndeploy "$1" "$2"',
      [
        ['env', true, undefined],
        ['tag', false, undefined],
      ],
    ],
    [
      'name=$1\nif [ -z "$name" ]; then\n  echo no >&2\n  exit 3\nfi\nport=$2\nif [ -z "$port" ]; then\n  port=443\nfi',
      [
        ['name', true, undefined],
        ['port', false, '443'],
      ],
    ],
    ["echo '$1' # $2\ncat <<'END'\n$3\nEND\nawk '{print $1}' x", []],
    ['f() { echo "$1"; }\nf a', []],
  ])('of %j are %j', (code, expected) => {
    expect(parametersIn(code).map((one) => [one.name, one.isRequired, one.default])).toEqual(expected);
  });

  test('have the choices of a `case` that refuses others', () => {
    expect(
      parametersIn('case "$1" in\n start) a ;;\n stop|halt) b ;;\n *) echo "Usage: $0 {start|stop}"; exit 1 ;;\nesac'),
    ).toMatchObject([{ choices: ['start', 'stop', 'halt'] }]);
  });

  test('that are only compared with a flag are that flag', () => {
    expect(parametersIn('DRY=0\nif [[ "$1" == "--dry-run" ]]; then DRY=1; fi')).toMatchObject([
      { flag: '--dry-run', takes: 'nothing' },
    ]);
  });
});

describe('what cannot be read from a script', () => {
  test('is left to its author: variables it needs, and prompts at the terminal', () => {
    const { todos, remarks } = read(': "${DB_URL:?set it}"\nREGION=${REGION:-eu}\nread -r -p "Sure? " answer\n');
    expect(todos).toEqual([
      'line 4: the script asks at the terminal; write in `stdin` what to answer, or pass the option that leaves the question out',
      expect.stringContaining('needs the variable DB_URL'),
    ]);
    expect(remarks).toEqual([expect.stringContaining('reads the variables REGION')]);
  });

  test('is everything in another language', () => {
    expect(readScript('x.pl', '#!/usr/bin/perl\n').todos).toEqual([
      'write the arguments; scaffold reads shells, Python and Node, and not #!/usr/bin/perl',
    ]);
  });
});

test('`--version` is an option if it takes a value, and otherwise asks the script for its version', () => {
  const loop = (arm: string) =>
    `while [ $# -gt 0 ]; do case "$1" in --host) host="$2"; shift 2 ;; ${arm} *) exit 64 ;; esac; done\necho "$host"`;
  const names = (code: string) => parametersIn(code).map(({ name }) => name);
  expect(names(loop('--version) version="$2"; shift 2 ;;'))).toEqual(['host', 'version']);
  expect(names(loop('--version) echo 1.2; exit 0 ;;'))).toEqual(['host']);
});
