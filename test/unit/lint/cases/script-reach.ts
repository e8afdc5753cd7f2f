import { missingProgram } from '../../../../src/planning/scripts/resolve-confinement.js';
import { EnvironmentVariables } from '../../../../src/planning/secrets/secret-source.js';
import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { lowLevel } from '../../temporary-project.js';
import type { LintCase } from '../lint-case.js';

const script = (path: string, more = ''): ProjectFiles =>
  lowLevel('op.two', `implementation: { kind: script, script: { path: ${path}${more} } }`);

const hook = (path: string): ProjectFiles => ({
  'registry/hooks/PreAbilityCall.yaml': `hooks:\n  - { id: guard, blocking: true, match: {}, handler: { script: { path: ${path} } } }\n`,
});

const at = (path: string, content: string, more?: string): ProjectFiles => ({ ...script(path, more), [path]: content });

const IMPORT_CASES: Omit<LintCase, 'code'>[] = [
  { name: 'a computed path of a module', files: at('s/a.mjs', "// first\n▶await import(process.argv[2] + '.mjs');\n") },
  { name: 'a module that is not there', files: at('s/a.mjs', "▶import './gone.mjs';\n") },
  {
    name: 'a module outside the project',
    files: at('s/a.mjs', "▶import '../../../../tmp/outside.mjs';\n▶import '/opt/lib.mjs';\n"),
  },
  {
    name: 'a computed path that is required, by a file that is imported',
    files: { ...at('s/a.cjs', "require('./b.cjs');\n"), 's/b.cjs': '▶require(process.argv[2]);\n' },
  },
  {
    name: 'a module of Python by its name',
    files: at('s/a.py', 'import importlib, sys\n▶importlib.import_module(sys.argv[1])\n▶from .gone import x\n'),
  },
  { name: 'a variable in a shell', files: at('s/a.sh', '▶. "$LIB/lib.sh"\n▶source "$(dirname "$0")/gone.sh"\n') },
  {
    name: 'what a shell reads from the working directory',
    files: { ...at('s/a.sh', '▶. ./s/lib.sh\n'), 's/lib.sh': '' },
  },
  { name: 'a guard', files: { ...hook('s/guard.mjs'), 's/guard.mjs': "▶import './gone.mjs';\n" } },
  {
    name: 'a computed path with the files listed',
    files: { ...at('s/a.mjs', 'await import(process.argv[2]);\n', ', files: [s/lib]'), 's/lib/b.mjs': '' },
  },
  {
    name: 'imports that are followed, and packages',
    files: {
      ...at(
        's/a.mjs',
        "import 'node:fs';\nimport pg from 'pg';\nimport './lib/b.mjs';\n// import './gone.mjs';\nvoid pg;\n",
      ),
      's/lib/b.mjs': "export * from '../c.cjs';\n",
      's/c.cjs': "require('./d');\nconst text = 'require(\"./gone\")';\n// require('./gone')\n",
      's/d.json': '{}',
    },
  },
  {
    name: 'Python of all forms',
    files: {
      ...at(
        's/a.py',
        'import os, json as j\nfrom lib import (x,\n  y)\n"""\nfrom .gone import z\n"""\n# from .gone import z\n',
      ),
      's/lib.py': '',
    },
  },
  {
    name: 'shells of all forms',
    files: {
      ...at(
        's/a.sh',
        'here=$(cd "$(dirname "$0")" && pwd)\n. "$here/lib.sh"\n. "${0%/*}/lib.sh"\n. "$ABILITY_PINNED/s/lib.sh"\necho . ./gone.sh\n# . ./gone.sh\n',
      ),
      's/lib.sh': '',
    },
  },
];

const PLACE_CASES: Omit<LintCase, 'code'>[] = [
  {
    name: 'URL of a module',
    files: at(
      's/a.mjs',
      "import { readFileSync } from 'node:fs';\n▶readFileSync(new URL('./query.sql', import.meta.url));\n",
    ),
  },
  {
    name: '__dirname, also by another name',
    files: at(
      's/a.cjs',
      "const { join } = require('node:path');\n▶join(__dirname, '..', 'query.sql');\nconst here = __dirname;\n▶void `${here}/other.sql`;\n▶void (__dirname + '/third.sql');\n",
    ),
  },
  {
    name: 'a folder that is made of import.meta.url',
    files: at(
      's/a.mjs',
      "import { dirname, join } from 'node:path';\nimport { fileURLToPath } from 'node:url';\nconst here = dirname(fileURLToPath(import.meta.url));\n▶join(here, process.argv[2]);\n",
    ),
  },
  {
    name: '__file__',
    files: at(
      's/a.py',
      'import os\nfrom pathlib import Path\n▶open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "query.sql"))\nHERE = Path(__file__).resolve().parent\n▶(HERE / "sql" / "query.sql").read_text()\n',
    ),
  },
  {
    name: '$0 and BASH_SOURCE',
    files: at(
      's/a.sh',
      'here=$(dirname "$0")\n▶cat "$here/query.sql"\n▶cat "${BASH_SOURCE%/*}/other.sql"\n▶cd "$(dirname "$0")"\n',
    ),
  },
  {
    name: 'files that are listed',
    files: {
      ...at(
        's/a.mjs',
        "import { readFileSync } from 'node:fs';\nreadFileSync(new URL('./sql/query.sql', import.meta.url));\nvoid import.meta.dirname;\n",
        ', files: [s/sql]',
      ),
      's/sql/query.sql': '',
    },
  },
  {
    name: 'what reaches for nothing',
    files: {
      ...at(
        's/a.mjs',
        "import { createRequire } from 'node:module';\nimport { pathToFileURL } from 'node:url';\nconst require = createRequire(import.meta.url);\nrequire('./b.cjs');\nif (import.meta.url === pathToFileURL(process.argv[1]).href) console.log(1);\n// __dirname\n",
      ),
      's/b.cjs': '',
    },
  },
  {
    name: 'a message with the name of the script',
    files: at('s/a.sh', 'echo "Usage: $0 FILE" >&2\necho "$(basename "$0")"\n'),
  },
  {
    name: 'the folder of Python, which is searched anyway',
    files: at('s/a.py', 'import os, sys\nsys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))\n'),
  },
];

const deletes = (key: string, box: string, effects = 'destructive'): ProjectFiles =>
  lowLevel(key, `effects: ${effects}\nimplementation: { kind: script, script: { path: scripts/any.mjs${box} } }`);

const policy = 'format: 1\nproject: p\nenvironments: { dev: {} }\npolicy: { sandbox: {} }\n';

const HAS_BOXES = missingProgram(new EnvironmentVariables('/', 'dev')) === undefined;

const NOT_BARE: Omit<LintCase, 'code'>[] = [
  {
    name: 'a mild script beside one in a box',
    files: { ...deletes('op.one', ', sandbox: {}'), ...deletes('op.two', '', 'write_additive') },
  },
  {
    name: 'a box for all, by the policy',
    files: { 'ability.yaml': policy, ...deletes('op.one', ', sandbox: {}'), ...deletes('op.two', '') },
  },
];

const BOX_CASES: Omit<LintCase, 'code'>[] = [
  {
    name: 'a destructive script beside one in a box',
    files: {
      ...deletes('op.one', ', sandbox: {}'),
      ...lowLevel(
        'op.two',
        'effects: destructive\nimplementation: { kind: script, script: ▶{ path: scripts/any.mjs } }',
      ),
    },
  },
  {
    name: 'a destructive script beside a server in a box',
    files: {
      'registry/config/servers.yaml': 'mcp_servers: { logs: { command: node, sandbox: {} } }\n',
      ...lowLevel(
        'op.two',
        'effects: destructive\nimplementation: { kind: script, script: ▶{ path: scripts/any.mjs } }',
      ),
    },
  },
  {
    name: 'a destructive script in a project without boxes',
    files: lowLevel(
      'op.two',
      'effects: destructive\nimplementation: { kind: script, script: ▶{ path: scripts/any.mjs } }',
    ),
  },
  { name: 'a script that destroys nothing', files: deletes('op.two', '', 'write_additive') },
  // Without bubblewrap, lint warns of each box.
  ...(HAS_BOXES ? NOT_BARE : []),
];

/** Scripts that import or read files that are not pinned with them, and destructive ones without a box. */
export const SCRIPT_REACH_CASES: LintCase[] = [
  ...IMPORT_CASES.map((own) => ({ code: 'lint.import_not_pinned', ...own })),
  ...BOX_CASES.map((own) => ({ code: 'lint.script_not_boxed', ...own })),
  ...PLACE_CASES.map((own) => ({ code: 'lint.file_not_pinned', ...own })),
];
