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
    )
      .option('--approval <id>', APPROVAL)
      .option('--as <name>', AS)
      .option('--comment <text>', 'why')
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

export type ApprovalFlags = FlagsOf<typeof approvals>;

export function addApprovals({ add }: Commands): void {
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
