import { Option } from '@commander-js/extra-typings';
import { EFFECTS } from '../../../contracts/effects.js';
import { type Commands, declare, type FlagsOf, repeatable, SCOPE } from './declare-command.js';

const TIMEOUT = 'stop waiting after this time; without a terminal 15m';
const WAIT_APPROVAL = 'wait so long for people; without it not at all, but at a terminal';

const choosing = () => ({
  route: declare(
    'route <text...>',
    'the abilities that fit a request in plain words; - reads it from stdin',
    'ability route "check that the new build can sign users up"',
    'ability route "set up a demo account" --step "write the user row" --step "read the log"',
    'ability route "run the billing regression" --detail schema --json',
  )
    .addOption(
      new Option('--detail <how much>', 'how much is reported about each')
        .choices(['name', 'summary', 'schema'])
        .default('summary'),
    )
    .addOption(repeatable('--step <text>', 'a step of the request, routed by itself as well'))
    .option('--scope <folder>', SCOPE),
  ask: declare(
    'ask <text...>',
    'from a request in plain words to what is run, or one question; - reads it from stdin',
    'ability ask "run the signup test for build 1234" --env staging',
    'ability ask --session s-01kt... yes',
    'ability ask "check the billing of build 88" --dry-run --json   # then: ability ask ... --plan DIGEST',
  )
    .option('--plan <digest>', 'agree to this plan and no other, as `plan[].reference` of an earlier answer says it')
    .option('--pack <id>', 'the pack that is to do it, as `ability list --packs` names them')
    .option('--dry-run', 'only say what it would come to; needs no server, and its hooks say nothing')
    .option('--session <id>', 'a session that is open: an answer to its question, or what refers to what was said')
    .option('--scope <folder>', SCOPE)
    .option('--key <id>', 'your own id of the run: the same request with the same id is the same run')
    .option('--timeout <duration>', TIMEOUT)
    .option('--wait-approval <duration>', WAIT_APPROVAL)
    .option('--verbose', 'show what the calls write as it comes'),
  agent: declare(
    'agent',
    'let an AI carry out a request: it plans calls, each is guarded and run as a task',
    'ability agent --request request.json',
    'ability agent --request request.json --key nightly-7 --json',
    'echo \'{"prompt": "Check build 88", "provider": {"openai": {"model": "gpt-5"}}}\' | ability agent --request -',
  )
    .requiredOption('--request <file>', 'the request, as JSON or YAML; - reads it from stdin')
    .option('--key <id>', 'your own id of the run: the same request with the same id goes on, or is the same run')
    .option('--max-turns <number>', 'ask the AI for a plan at most so often; without it 10 times')
    .option(
      '--agree <reference>',
      'agree to the risks that the command named with it; never an approval, nor for agents',
    )
    .option('--timeout <duration>', TIMEOUT)
    .option('--wait-approval <duration>', WAIT_APPROVAL),
  harvest: declare(
    'harvest',
    'requests that no ability covers, scripts that may be worth an ability, and calls that may be worth a workflow',
    'ability harvest',
    'ability harvest --json',
    'ability harvest --write proposals --proposal user.seed_then_mail.send',
  )
    .option('--write <folder>', 'write the proposed workflows and agents into this folder, to be looked over')
    .addOption(repeatable('--proposal <id>', 'with --write: only this one; may be given several times')),
  promote: declare(
    'promote <script>',
    'make an ability of a script in workdocs, with its row in the routing document',
    'ability harvest promote modules/users/workdocs/outcomes/scripts/count-users.py --effects read',
    'ability harvest promote modules/users/workdocs/outcomes/scripts/seed.sh --record seed-42 --dry-run',
  )
    .option('--prefix <prefix>', 'what its operation key begins with (default: its module)')
    .addOption(new Option('--effects <effect>', 'what a call changes (default: destructive)').choices(EFFECTS))
    .option('--record <key|file>', 'a task, or a file with input and output, as its first case')
    .option('--dry-run', 'only say what would be written'),
  prune: declare(
    'prune',
    'abilities that may not be needed: unused, alike, deprecated',
    'ability prune',
    'ability prune --unused 30d --json',
    'ability prune --deprecate db.old --replaced-by db.new',
  )
    .option('--unused <duration>', 'not called for so long', '90d')
    .option('--deprecate <id>', 'mark this one as deprecated in its file; nothing is removed')
    .option('--replaced-by <id>', 'with --deprecate: what takes its place'),
});

export type ChoosingFlags = FlagsOf<typeof choosing>;

export function addChoosing({ add }: Commands): void {
  const { route, ask, agent, harvest, promote, prune } = choosing();
  add(route, () => import('../commands/route.js'));
  add(ask, () => import('../commands/ask.js'));
  add(agent, () => import('../commands/agent.js'));
  const below = add(harvest, () => import('../commands/harvest/harvest.js'));
  below.add(promote, () => import('../commands/harvest/promote.js'));
  add(prune, () => import('../commands/prune.js'));
}
