import { type Commands, declare, type FlagsOf, repeatable } from './declare-command.js';

const APPROVAL = 'which approval; may be left out while one is open';
const AS = 'who decides (a claim; default: you)';

const approvals = {
  approve: () =>
    declare(
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
  deny: () =>
    declare(
      'deny <key>',
      'deny what a task waits for',
      'ability deny KEY --as alice --comment "seen it"',
      'ability deny KEY --request-changes --comment "use the small table"',
    )
      .option('--approval <id>', APPROVAL)
      .option('--as <name>', AS)
      .option('--comment <text>', 'why')
      .option('--request-changes', 'say no, and in the comment what has to change first'),
};

const grants = {
  list: () =>
    declare(
      'list',
      'list what people have granted, and its uses',
      'ability grants list',
      'ability grants list --all',
    ).option('--all', 'also those that have ended'),
  revoke: () => declare('revoke <id>', 'allow no further call by a grant', 'ability grants revoke 3f9a1c20b7de4410'),
};

export type ApprovalFlags = FlagsOf<typeof approvals>;
export type GrantFlags = FlagsOf<typeof grants>;

export function addApprovals(commands: Commands): void {
  const { add } = commands;
  add(
    declare(
      'approvals [key]',
      'list what waits for a decision, or show what one task waits for in full',
      'ability approvals',
      'ability approvals KEY',
      'ability approvals --json',
    ),
    () => import('../commands/approvals.js'),
  );
  add(approvals.approve(), () => import('../commands/decide.js'), 'approve');
  add(approvals.deny(), () => import('../commands/decide.js'), 'deny');
  const granted = commands.group('grants', 'what one yes allows beyond its call', 'ability grants list');
  granted.add(grants.list(), () => import('../commands/grants.js'), 'list');
  granted.add(grants.revoke(), () => import('../commands/grants.js'), 'revoke');
}

export function addExplanations({ add }: Commands): void {
  add(
    declare('why <key>', 'explain how a task came to its present state', 'ability why KEY', 'ability why KEY --json'),
    () => import('../commands/why.js'),
  );
  add(
    declare(
      'replay <what>',
      'check that this build goes the way a task went: KEY, a history FILE, or a DIR of them',
      'ability replay KEY   # all its runs, and the tasks it called',
      'temporal workflow show --workflow-id KEY --output json > KEY.json && ability replay ./KEY.json',
      'ability replay test/histories --json   # in CI: 0 all replay, 1 one differs, 2 a file is unreadable',
    ),
    () => import('../commands/replay.js'),
  );
}
