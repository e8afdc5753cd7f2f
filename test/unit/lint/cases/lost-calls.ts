import { lowLevel, SCRIPT } from '../../temporary-project.js';
import type { LintCase } from '../lint-case.js';

/** An ability that asks `op.read`, with what differs from a sound `unknown`. */
const asks = (more: Record<string, string>) => {
  const sound = {
    call: 'op.read',
    with: '{ id: "${{ call.idempotency_key }}" }',
    happened: "output.status == 'success'",
    not_happened: "error.code == 'http.404'",
    output: '{ n: 1 }',
  };
  const lines = Object.entries({ ...sound, ...more }).map(([key, text]) => `  ${key}: ${text}`);
  return lowLevel(
    'op.pay',
    'effects: destructive',
    'input_schema: { type: object, properties: { order: { type: string } } }',
    'output_schema: { type: object, required: [n], properties: { n: { type: integer } } }',
    'unknown:',
    ...lines,
    SCRIPT,
  );
};

type Row = [code: string, name: string, files: LintCase['files']];

const ROWS: Row[] = [
  ['unknown_reference', 'for nothing', asks({ call: '▶op.reed' })],
  ['wrong_parameter', 'with another type', asks({ with: '{ id: ▶7 }' })],
  ['missing_parameter', 'without what the asked ability needs', asks({ call: '▶op.read', with: '{}' })],
  ['undeclared_field', 'that the lost call has not', asks({ with: '{ id: ▶"${{ call.input.oder }}" }' })],
  ['undeclared_field', 'that the answer has not', asks({ happened: '▶output.state == 1' })],
  ['not_boolean', 'that is no condition', asks({ not_happened: '▶output.status' })],
  ['optional_field', 'with what may be missing', asks({ output: '{ n: ▶"${{ output.count }}" }' })],
  ['output_mismatch', 'that the contract does not allow', asks({ output: '{ n: ▶"${{ output.status }}" }' })],
];

/** What lint finds in the `unknown` of an ability. */
export const LOST_CALL_CASES: readonly LintCase[] = [
  ...ROWS.map(([code, name, files]) => ({
    code: code === 'unknown_reference' ? 'definition.unknown_reference' : `lint.${code}`,
    name: `\`unknown\` ${name}`,
    files,
  })),
  {
    code: 'lint.optional_field',
    name: '`unknown` with what `happened` has seen',
    files: asks({ happened: 'output.count > 0', output: '{ n: "${{ output.count }}" }' }),
  },
];
