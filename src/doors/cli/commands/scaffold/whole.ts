import type { WholeKind } from '../../../../authoring/choices.js';
import type { ExitCode } from '../../../../contracts/exit-codes.js';
import type { Context } from '../../program/context.js';
import { scaffoldWhole } from './whole-definition.js';

/** Kinds that are made only from whole definitions; commander sees to it that `--from` is there. */
export type OnlyWholeKind = Exclude<WholeKind, 'low-level' | 'high-level' | 'implementation' | 'hook'>;

/** `ability scaffold agent|cases|config|module|capabilities|packs --from FILE`. Source: C-46. */
export function commandOf(kind: OnlyWholeKind) {
  return {
    run: (context: Context, [name = '']: string[], { from }: { from: string }): Promise<ExitCode> =>
      scaffoldWhole(context, { kind, from, name }),
  };
}
