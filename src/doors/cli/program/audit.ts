import { Option } from '@commander-js/extra-typings';
import { AUDIT_KINDS } from '../../../contracts/audit.js';
import { type Commands, declare, type FlagsOf } from './declare-command.js';

const audit = {
  export: () =>
    declare(
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
  verify: () =>
    declare(
      'verify',
      'find changed, removed, inserted and reordered lines of the audit log',
      'ability audit verify',
      'ability audit verify --head 5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef',
    ).option('--head <hash>', 'the last line as it was printed before: it has to be there still'),
};

export type AuditFlags = FlagsOf<typeof audit>;

export function addAudit({ group }: Commands): void {
  const { add } = group('audit', 'what happened to tasks, in a log that shows its changes', 'ability audit verify');
  add(audit.export(), () => import('../commands/audit.js'), 'exportLog');
  add(audit.verify(), () => import('../commands/audit.js'), 'verify');
}
