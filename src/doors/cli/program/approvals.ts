import { Option } from '@commander-js/extra-typings';
import { AUDIT_KINDS } from '../../../contracts/audit.js';
import { type Commands, declare, type FlagsOf, repeatable } from './declare-command.js';

const APPROVAL = 'which approval; may be left out while one is open';
const AS = 'who decides (a claim; default: you)';

const looking = () => ({
  list: declare(
    'approvals [key]',
    'list what waits for a decision, or show what one task waits for in full',
    'ability approvals',
    'ability approvals KEY',
    'ability approvals --json',
  ),
  why: declare(
    'why <key>',
    'explain how a task came to its present state',
    'ability why KEY',
    'ability why KEY --json',
  ),
  replay: declare(
    'replay <what>',
    'check that this build goes the way a task went: KEY, a history FILE, or a DIR of them',
    'ability replay KEY   # all its runs, and the tasks it called',
    'temporal workflow show --workflow-id KEY --output json > KEY.json && ability replay ./KEY.json',
    'ability replay test/histories --json   # in CI: 0 all replay, 1 one differs, 2 a file is unreadable',
  ),
});

const approvals = () => ({
  approve: declare(
    'approve [key]',
    'approve what a task waits for',
    'ability approve KEY --as alice --comment "seen it"',
    'ability approve KEY --set ticket=ABC-1',
    'ability approve --like ask-3f9a1c20b7de',
    `ability approve KEY --for task --up-to 20 --if 'input.env == "staging"'   # and calls that are alike`,
  )
    .option('--approval <id>', APPROVAL)
    .option('--as <name>', AS)
    .option('--comment <text>', 'why')
    .option('--for <scope>', 'also further calls of this ability: those of the `task` or of its `session`')
    .option('--up-to <calls>', 'with --for: how many calls, this one included')
    .option('--if <expression>', 'with --for: only those whose `input` meets it')
    .option('--for-time <duration>', 'with --for: how long, at most 7d (default: 24h)')
    .addOption(repeatable('--deny-item <number>', 'of several items, all but this one; may be given several times'))
    .option('--like <approval>', 'approve all open approvals that ask the same as this one; without KEY')
    .addOption(
      repeatable('--set <assignment>', 'one field the approval asks for: name=text, name:=JSON, or name=@file'),
    ),
  deny: declare(
    'deny <key>',
    'deny what a task waits for',
    'ability deny KEY --as alice --comment "seen it"',
    'ability deny KEY --request-changes --comment "use the small table"',
  )
    .option('--approval <id>', APPROVAL)
    .option('--as <name>', AS)
    .option('--comment <text>', 'why')
    .option('--request-changes', 'say no, and in the comment what has to change first'),
});

const grants = () => ({
  list: declare(
    'list',
    'list what people have granted, and its uses',
    'ability grants list',
    'ability grants list --all',
  ).option('--all', 'also those that have ended'),
  revoke: declare('revoke <id>', 'allow no further call by a grant', 'ability grants revoke 3f9a1c20b7de4410'),
});

export type ApprovalFlags = FlagsOf<typeof approvals>;
export type GrantFlags = FlagsOf<typeof grants>;

const audit = () => ({
  exportLog: declare(
    'export',
    'print the audit log, and verify what is printed',
    'ability audit export --since 30d --format csv > audit.csv',
    'ability audit export --kind decision --since 2026-11-01T00:00:00Z --until 2026-12-01T00:00:00Z',
  )
    .option('--since <when>', 'only lines since: 30m, 24h, 7d, or a time such as 2026-11-26T03:30:00Z')
    .option('--until <when>', 'only lines before, given as --since')
    .option('--task <key>', 'only lines about this task and those that it called')
    .addOption(new Option('--kind <kind>', 'only lines of this kind').choices(AUDIT_KINDS))
    .addOption(new Option('--format <format>', 'form of a line').choices(['jsonl', 'csv'] as const).default('jsonl')),
  verify: declare(
    'verify',
    'find changed, removed, inserted and reordered lines of the audit log',
    'ability audit verify',
    'ability audit verify --head 5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef',
  ).option('--head <hash>', 'the last line as it was printed before: it has to be there still'),
});

export type AuditFlags = FlagsOf<typeof audit>;

export function addApprovals(commands: Commands): void {
  const { add } = commands;
  const { list, why, replay } = looking();
  add(list, () => import('../commands/approvals.js'));
  commands.all(approvals(), () => import('../commands/decide.js'));
  const granted = commands.group('grants', 'what one yes allows beyond its call', 'ability grants list');
  granted.all(grants(), () => import('../commands/grants.js'));
  add(why, () => import('../commands/why.js'));
  add(replay, () => import('../commands/replay.js'));
  const log = commands.group(
    'audit',
    'what happened to tasks, in a log that shows its changes',
    'ability audit verify',
  );
  log.all(audit(), () => import('../commands/audit.js'));
}
