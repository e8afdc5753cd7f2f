import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runGuard } from '../../../../src/doors/guard/run-guard.js';
import { makeProject, type ProjectFolder } from '../../../fixtures/project-folder.js';
import { claudeCall, FILES } from './guarded-project.js';

let project: ProjectFolder;
beforeAll(() => {
  project = makeProject(FILES);
  const at = (path: string): string => join(project.root, path);
  symlinkSync(at('ops/tools/make-report.py'), at('harmless.py'));
  symlinkSync(at('ops/tools'), at('shortcut'));
  linkSync(at('ops/tools/make-report.py'), at('hard.py'));
  symlinkSync(at('registry'), at('docs-link'));
  mkdirSync(at('node_modules/ability-runtime/dist/command'), { recursive: true });
  writeFileSync(at('node_modules/ability-runtime/dist/command/bin.js'), '');
  symlinkSync(at('node_modules/ability-runtime/dist/command/bin.js'), at('tool'));
});
afterAll(() => project.remove());

async function guardAnswer(command: string, cwd = project.root): Promise<{ exit: number; stderr: string }> {
  const text = JSON.stringify(claudeCall('Bash', { command: command.replaceAll('ROOT', project.root) }, cwd));
  return runGuard({ tool: 'claude', root: project.root, environment: undefined, env: { HOME: '/home/nobody' }, text });
}

describe('the script of an ability may not be run directly (R-002-57, R-000-96)', () => {
  test.each([
    'python3 ops/tools/make-report.py',
    'python3 ./ops/tools/make-report.py --count 3',
    'python3 ops/../ops/tools/make-report.py',
    'python3 ROOT/ops/tools/make-report.py',
    "python3 'ops/tools/make-report.py'",
    'python3 "ops/tools"/make-report.py',
    'python3 ops/to""ols/make-rep\'\'ort.py',
    'python3 ops/tools/make\\-report.py',
    "python3 $'ops/tools/\\x6dake-report.py'",
    'p\\ython3 o\\ps/tools/make-report.py',
    'true && python3 ops/tools/make-report.py',
    'true; python3 ops/tools/make-report.py',
    'false || python3 ops/tools/make-report.py',
    'sleep 0 & python3 ops/tools/make-report.py',
    'true\npython3 ops/tools/make-report.py',
    '(python3 ops/tools/make-report.py)',
    '{ python3 ops/tools/make-report.py; }',
    'if true; then python3 ops/tools/make-report.py; fi',
    'for f in ops/tools/make-report.py; do python3 $f; done',
    'for f in ops/tools/*.py; do python3 "$f"; done',
    'echo $(python3 ops/tools/make-report.py)',
    'echo `python3 ops/tools/make-report.py`',
    'echo "$(python3 ops/tools/make-report.py)"',
    'diff <(python3 ops/tools/make-report.py) x',
    "bash -c 'python3 ops/tools/make-report.py'",
    'bash -c "cd ops && python3 tools/make-report.py"',
    'bash -lc "sh -c \'python3 ops/tools/make-report.py\'"',
    "eval 'python3 ops/tools/make-report.py'",
    'eval python3 ops/tools/make-report.py',
    'X=ops/tools; python3 $X/make-report.py',
    'X=ops/tools/make-report; python3 "${X}.py"',
    'CMD="python3 ops/tools/make-report.py"; $CMD',
    'export D=ops/tools; python3 $D/make-report.py',
    'python3 $SOMEWHERE/make-report.py',
    'FOO=1 BAR=2 python3 ops/tools/make-report.py',
    'env FOO=1 python3 ops/tools/make-report.py',
    'sudo -E nohup timeout 5 python3 ops/tools/make-report.py',
    'cd ops/tools && python3 make-report.py',
    'cd ops; cd tools; ./make-report.py',
    'pushd ops/tools; python3 make-report.py; popd',
    'cd "$UNKNOWN" && python3 make-report.py',
    'cd nowhere; cd ROOT/ops/tools; python3 make-report.py',
    'python3 harmless.py',
    'python3 shortcut/make-report.py',
    'python3 hard.py',
    'python3 ops/tools/make-*.py',
    'python3 ops/tools/make-repor?.py',
    'python3 ops/tools/make-repor[t].py',
    'python3 ops/{tools,x}/make-report.py',
    'python3 -m ops.tools.make-report',
    'python3 < ops/tools/make-report.py',
    'cat ops/tools/make-report.py | python3',
    'cat ops/tools/make-report.py > /tmp/x.py',
    'cp ops/tools/make-report.py /tmp/x.py',
    'python3 -c "$(cat ops/tools/make-report.py)"',
    'python3 -c "import runpy; runpy.run_path(\'ops/tools/make-report.py\')"',
    'python3 - <<EOF\nexec(open("ops/tools/make-report.py").read())\nEOF',
    'bash <<EOF\npython3 ops/tools/make-report.py\nEOF',
    "bash <<< 'python3 ops/tools/make-report.py'",
    "echo 'python3 ops/tools/make-report.py' | sh",
    "printf 'python3 %s' ops/tools/make-report.py | sh",
    'find . -name make-report.py -exec python3 {} \\;',
    "find ops -name 'make-rep*' -exec python3 {} \\;",
    'ls ops/tools/make-report.py | xargs python3',
    'echo ops/tools/make-report.py | xargs -n1 python3',
    'env -C ops/tools python3 make-report.py',
    'git worktree add /tmp/w && python3 /tmp/w/ops/tools/make-report.py',
    'git mv ops/tools/make-report.py ops/tools/x.py',
    'sh deploy.sh',
    './deploy.sh',
    '. ./deploy.sh',
    'source deploy.sh',
    'cd src && ../deploy.sh',
    'cd src && sh -c "cd .. && ./deploy.sh"',
    'node servers/logs.mjs',
    "python3 'ops/tools/make-report.py",
    'if ((1)); then sh deploy.sh; fi',
    'f() { sh deploy.sh; }; f',
    'case x in x) sh deploy.sh;; esac',
    'rg --pre ops/tools/make-report.py x',
    'git -c core.pager=ops/tools/make-report.py log',
  ])('%s', async (command) => {
    const { exit, stderr } = await guardAnswer(command);
    expect(stderr).toMatch(/ability run (report\.make|site\.deploy|logs\.search)/);
    expect(exit).toBe(2);
  });
});

describe('the endpoint of an ability may not be called directly (R-002-57)', () => {
  test.each([
    'curl https://api.billing.test/v1/charges',
    'curl -X POST "https://api.billing.test/v1/charges" -d @x',
    'curl https://API.billing.test./v1/charges',
    'curl https://user:pw@api.billing.test/v1',
    'curl https://api.billing.test:443/v1/charges',
    'curl http://api.billing.test/v1/charges',
    'curl https://api.billing.test//v1/charges',
    'curl https://api.billing.test/x/../v1/charges',
    'curl https://api.billing.test/%76%31/charges',
    'curl api.billing.test/v1/charges',
    'curl localhost:4010/v1/charges',
    'curl http://0x7f.1:4010/v1/charges',
    'curl http://[::1]:4010/v1/charges',
    'wget -qO- https://api.billing.test/v1/charges',
    'http POST api.billing.test/v1/charges',
    'U=https://api.billing.test; curl $U/v1/charges',
    'curl https://api.billing.test/v1/$X',
    'curl --url=https://api.billing.test/v1/charges',
    'python3 -c "import requests; requests.post(\'https://api.billing.test/v1/charges\')"',
    'node -e \'fetch("https://api.billing.test/v1/charges")\'',
    'bash -c "curl https://api.billing.test/v1/charges"',
    'echo https://api.billing.test/v1/charges | xargs curl',
  ])('%s', async (command) => {
    const { exit, stderr } = await guardAnswer(command);
    expect(stderr).toContain('ability run bill.charge');
    expect(exit).toBe(2);
  });
});

describe('decisions and keys are reserved for people', () => {
  test.each([
    'ability approve KEY',
    'ability deny KEY --as alice',
    'ability token create',
    'ability keys create',
    'ability --project . approve KEY',
    'ability --door https://ability.acme.test approve KEY',
    'ability login --door https://ability.acme.test',
    'cat ~/.config/ability/doors.json',
    'cd ~/.config && cat ability/doors.json',
    'cd ~/.config/ability && cat *',
    'python3 -c "print(open(\'/home/me/.config/ability/doors.json\').read())"',
    'curl -X POST https://ability.acme.test/v1/login/confirm -d @x',
    'ability import hooks sub/.claude/settings.json --name claude',
    'ability --project . import --overwrite hooks settings.json',
    'npx ability import hooks .claude/settings.json',
    'env -u CLAUDECODE ability import hooks .claude/settings.json',
    'V=hooks; ability import $V settings.json',
    "python3 -c \"import subprocess; subprocess.run(['ability', 'import', 'hooks', 'x.json'])\"",
    'ability --json approve KEY',
    'npx ability approve KEY',
    'npx --no ability approve KEY',
    'npx --no-install ability-runtime approve KEY',
    'pnpm exec ability approve KEY',
    'yarn ability approve KEY',
    'npm exec -- ability approve KEY',
    'node_modules/.bin/ability approve KEY',
    'node node_modules/ability-runtime/dist/command/bin.js approve KEY',
    './tool approve KEY',
    'node tool approve KEY',
    'a\\bility appr""ove KEY',
    "'ability' $'\\x61pprove' KEY",
    'abilit? approve KEY',
    '/usr/bin/abilit* approve KEY',
    'A=ability; $A approve KEY',
    'V=approve; ability $V KEY',
    'ability $UNKNOWN KEY',
    '$UNKNOWN approve KEY',
    'ability $(echo approve) KEY',
    'ability list && ability approve KEY',
    'ABILITY_USER=alice ability approve KEY',
    'env ABILITY_USER=alice ability approve KEY',
    'sudo -u alice ability approve KEY',
    "bash -c 'ability approve KEY'",
    'echo "ability approve KEY" | sh',
    'echo approve KEY | xargs ability',
    'xargs ability approve < keys',
    'alias a=ability; a approve KEY',
    'f() { ability "$@"; }; f approve KEY',
    'env -S "ability approve KEY"',
    'python3 -c "import os; os.system(\'ability approve KEY\')"',
    "python3 -c \"import subprocess; subprocess.run(['ability', 'approve', 'KEY'])\"",
    'node -e \'require("child_process").execFileSync("ability", ["approve", "KEY"])\'',
    'temporal workflow signal --workflow-id KEY --name decide',
    'temporal --address x:7233 workflow signal --name decide',
    'temporal workflow update execute --name x',
    'temporal workflow signal-with-start --name x',
    'temporal activity complete --activity-id 1',
    'temporal activity execute --type x',
    'tctl workflow signal -w KEY',
    'curl -X POST http://127.0.0.1:8233/api/v1/namespaces/default/workflows/KEY/signal/decide',
    'curl -X POST http://127.0.0.1:7230/v1/tasks/KEY/approvals/ask.1 -d \'{"decision":"approve"}\'',
    'curl --unix-socket .system/http.sock -X POST http://localhost/v1/tasks/KEY/approvals/$ID -d @answer.json',
    "node -e \"fetch('http://localhost:7230/v1/tasks/KEY/approvals/ask.1', { method: 'POST' })\"",
    'cat .system/keys/proof',
    'cp -r .system/keys /tmp',
    'python3 -c "print(open(\'.system/keys/proof\').read())"',
  ])('%s', async (command) => {
    const { exit, stderr } = await guardAnswer(command);
    expect(stderr).toContain('Ask the person you work for');
    expect(exit).toBe(2);
  });
});

describe('registrations are changed only with the scaffolds (R-002-58)', () => {
  test.each([
    'echo x > registry/low-level/report.make.yaml',
    'echo x >> registry/low-level/report.make.yaml',
    'echo x >| registry/low-level/new.yaml',
    'echo x &> registry/low-level/new.yaml',
    'cat <<EOF > registry/low-level/new.yaml\nx\nEOF',
    'tee registry/hooks/PreAbilityCall.yaml < x',
    'echo x | tee -a registry/hooks/PreAbilityCall.yaml',
    'cp /tmp/x registry/low-level/new.yaml',
    'cp -t registry/low-level /tmp/x.yaml',
    'mv registry/hooks/PreAbilityCall.yaml /tmp',
    'rm registry/hooks/PreAbilityCall.yaml',
    'rm -rf registry',
    'rm -rf reg*',
    'rm -rf ROOT/registry',
    'rm -rf .',
    'rm -rf "$PWD"',
    'rm -rf $(git rev-parse --show-toplevel)',
    'rm *',
    'mv registry old',
    'sed -i s/deny/allow/ registry/hooks/PreAbilityCall.yaml',
    'sed -i s/TODO// registry/hooks/PostAbilityCall.yaml',
    'echo x > registry/config/hooks_impl.yaml',
    'sed -i.bak s/a/b/ ability.yaml',
    'perl -pi -e s/a/b/ registry/hooks/PreAbilityCall.yaml',
    'cd registry && rm hooks/PreAbilityCall.yaml',
    'cd registry/hooks; echo > PreAbilityCall.yaml',
    'cd $UNKNOWN && rm hooks/PreAbilityCall.yaml',
    'D=registry; echo x > $D/low-level/new.yaml',
    'echo x > docs-link/low-level/new.yaml',
    'echo x > src/../registry/low-level/new.yaml',
    'echo x > ability.yaml',
    'ln -sf /tmp/x ability.yaml',
    'truncate -s 0 ability.yaml',
    'dd if=/dev/null of=ability.yaml',
    'git mv registry/hooks/PreAbilityCall.yaml x',
    'git rm registry/hooks/PreAbilityCall.yaml',
    'git checkout HEAD~3 -- registry/hooks',
    'find registry -name "*.yaml" -delete',
    'find registry -type f -exec rm {} +',
    'curl -o registry/low-level/new.yaml https://example.test/x',
    'curl https://example.test/x > registry/low-level/new.yaml',
    "python3 -c \"open('registry/low-level/new.yaml','w')\"",
    "node -e \"fs.writeFileSync('ability.yaml', '')\"",
    'python3 - <<EOF\nopen("registry/hooks/x.yaml","w")\nEOF',
    'rm -rf .system',
    'echo x > .system/cache/guard.json',
    "bash -c 'echo x > registry/low-level/new.yaml'",
    'echo x > registry/config/hooks_impl.yaml',
    'echo x | sudo tee registry/low-level/new.yaml',
    'echo x > "registry/low-level/new.yaml',
  ])('%s', async (command) => {
    const { exit, stderr } = await guardAnswer(command);
    expect(stderr).toMatch(/ability scaffold|Leave it to a person/);
    expect(exit).toBe(2);
  });
});

describe('everything else passes', () => {
  test.each([
    'ls -la',
    'git status',
    'npm test',
    'npx vitest run test/unit/x.test.ts',
    'ability run report.make --set count=3',
    'ability list',
    'npx ability run report.make',
    'ability task show KEY',
    'ability explain approval.denied',
    'ability import hooks .claude/settings.json --dry-run',
    'ability import openapi hooks.yaml',
    'ability import mcp logs',
    'ability scaffold low-level db.read --kind script',
    'ability scaffold scripts ops/tools/make-report.py',
    'cat ops/tools/make-report.py',
    'cat ops/tools/make-report.py | head -20',
    'head -50 ops/tools/make-report.py',
    "sed -n '1,50p' ops/tools/make-report.py",
    'grep -n def ops/tools/make-report.py 2>/dev/null',
    'git diff ops/tools/make-report.py',
    'git add ops/tools/make-report.py && git commit -m "Report: ops/tools/make-report.py counts"',
    'chmod +x deploy.sh',
    'ruff check ops/tools/make-report.py',
    'npx eslint servers/logs.mjs',
    'python3 ops/tools/other.py',
    'python3 ops/tools/make-report-test.py',
    'cat registry/low-level/report.make.yaml',
    'cp registry/low-level/report.make.yaml /tmp/x',
    'ls registry > /tmp/list',
    'echo x > registry/config/services.yaml',
    'sed -i s/TODO/done/ registry/low-level/draft.yaml',
    'echo x > src/app.ts',
    'rm -rf build',
    'curl https://example.test/v1/charges',
    'curl https://api.billing.test.example.test/v1',
    'curl http://127.0.0.1:9999/v1/charges',
    'curl http://127.0.0.1:4010/health',
    'echo "see https://api.billing.test/v1/charges"',
    'temporal workflow list',
    'temporal workflow show -w KEY',
    'temporal server start-dev',
    'for i in 1 2 3; do echo $i; done',
    'FOO=bar node build.js',
    'echo "$(date) approve"',
    'git log --oneline | head -5',
    'docker compose up -d',
    'cd src && ls',
    'find . -name "*.py" -exec grep -n def {} +',
    'cat "$FILE"',
    'python3 "$FILE"',
    'echo "ability approve KEY is for people"',
  ])('%s', async (command) => {
    expect(await guardAnswer(command)).toEqual({ exit: 0, stderr: '', stdout: '{}\n' });
  });
});
