import type { ExitCode } from '../../../../contracts/exit-codes.js';
import type { OnlyWholeKind } from '../../program/authoring.js';
import type { Context } from '../../program/context.js';
import { scaffoldWhole } from './whole-definition.js';

/** `ability scaffold agent|cases|config|module|capabilities|packs --from FILE`. Source: C-46. */
export function commandOf(kind: OnlyWholeKind) {
  return {
    run: (context: Context, [name = '']: [string?], { from }: { from: string }): Promise<ExitCode> =>
      scaffoldWhole(context, { kind, from, name }),
  };
}
