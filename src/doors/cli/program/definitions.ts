import { Option } from '@commander-js/extra-typings';
import { type Commands, declare, type FlagsOf, inputFlags, withFlags } from './declare-command.js';

const definitions = () => ({
  list: declare(
    'list',
    'list the abilities of this project',
    'ability list',
    'ability list --json',
    'ability list --usage',
    'ability list --packs',
  )
    .option('--usage', 'how often each was called, as the hook `usage` has noted')
    .addOption(new Option('--pages', 'the routing documents, ABILITY.md').conflicts(['usage', 'packs', 'capabilities']))
    .addOption(new Option('--packs', 'the packs that requests recruit').conflicts('usage'))
    .addOption(new Option('--capabilities', 'what packs can do, and the words for it').conflicts(['usage', 'packs'])),
  show: declare(
    'show <id>',
    'show one ability: its contract, and how it runs here',
    'ability show signup_e2e_test',
    'ability show db.write.user_row --env staging',
  ),
  plan: withFlags(
    declare(
      'plan <id>',
      'show all that would happen; needs no server, runs nothing',
      'ability plan signup_e2e_test --set build_id=1234 --env staging',
      'ability plan signup_e2e_test --input @input.json --json > plan.json   # then: ability run ... --plan @plan.json',
    ),
    inputFlags,
  ),
  graph: declare(
    'graph <id>',
    'draw the steps of an ability as a Mermaid flowchart; needs no server',
    'ability graph signup_e2e_test --env staging > signup.mmd',
    'ability graph db.write.user_row',
  ),
  lint: declare(
    'lint',
    'check the definitions: what no longer holds, with file and line; needs no server',
    'ability lint',
    'ability lint --watch',
    'ability lint --format sarif > lint.sarif   # in CI: 0 nothing, 1 findings, 2 bad usage',
    'ability lint --since origin/main   # in CI of a pull request',
    'ability lint --check-env --fail-on warning',
  )
    .addOption(new Option('--format <format>', 'how to print').choices(['human', 'json', 'sarif', 'junit']))
    .option('--since <revision>', 'also report contracts that broke since then without a new `version` (Git)')
    .option('--imported', 'also slips of imported documents themselves, in their schemas and words')
    .option('--check-env', 'also check that credentials and addresses are set here')
    .option('--check-hooks', 'also run guards of other tools, with the calls that they must deny')
    .addOption(new Option('--fail-on <severity>', 'exit 1 from here on').choices(['error', 'warning']).default('error'))
    .option('--watch', 'check again whenever a definition or a script changes'),
  explain: declare('explain <code>', 'explain an error code, or a code of lint', 'ability explain guard.denied'),
  test: declare(
    'test [id]',
    'run the test cases that stand beside abilities',
    'ability test',
    'ability test signup_e2e_test --watch',
    'ability test --junit cases.xml   # in CI: 0 all passed, 1 a case failed, 2 a file of cases is broken',
  )
    .option('--junit <file>', 'write the cases as JUnit XML')
    .option('--watch', 'run them again whenever a definition or a script changes'),
  docs: declare(
    'docs [paths...]',
    'write the tables of the routing documents (ABILITY.md): those in FILES or FOLDERS, or all, and the rules for AIs',
    'ability docs',
    'ability docs --check   # in CI: 0 in step, 1 out of step, 2 a document is broken',
    'ability docs --add integration modules/users',
    'ability docs --skill .claude/skills',
  )
    .option('--check', 'write nothing; end with 1 and show the difference where one is out of step')
    .option('--add', 'write new ones, or put tables into those that have none')
    .option('--gaps', 'with --check: requests that no ability covers, as comments on the pages')
    .option('--agents', 'write the rules for AIs: AGENTS.md, that of the registry, and docs/IMPLEMENTATION_LOG.md')
    .option('--skill <dir>', 'write the same rules as a skill (agentskills.io) into this folder of skills'),
});

export type DefinitionFlags = FlagsOf<typeof definitions>;

export function addDefinitions({ add }: Commands): void {
  const { list, show, plan, graph, lint } = definitions();
  const showing = () => import('../commands/show.js');
  add(list, () => import('../commands/list.js'));
  add(show, showing, 'show');
  add(plan, () => import('../commands/plan.js'));
  add(graph, showing, 'graph');
  add(lint, () => import('../commands/lint.js'));
}

export function addTestsAndDocuments({ add }: Commands): void {
  const { explain, test, docs } = definitions();
  add(explain, () => import('../commands/explain.js'));
  add(test, () => import('../commands/test.js'));
  add(docs, () => import('../commands/docs.js'));
}
