import { modulePath } from '../../text/module-path.js';
import { literalOf } from './cell-text.js';

/** What a Scope cell says of an ability that is valid everywhere. */
const ANYWHERE = ['any', '*', ''];

/**
 * Whether a Scope cell names the very modules of a definition.
 *
 * Commas separate them; order, backticks, dots for slashes and a leading `modules/` make no difference. Source: C-43.
 */
export function isSameScope(cell: string, modules: readonly string[]): boolean {
  const named = cell.split(/[,;、，]/).map((part) => literalOf(part.trim()));
  const said = named.every((name) => ANYWHERE.includes(name.toLowerCase())) ? [] : named;
  return namesOf(said) === namesOf(modules);
}

function namesOf(modules: readonly string[]): string {
  return [...new Set(modules.map(modulePath))].sort().join('\n');
}
