import { loadedComposites } from '../../definitions/find-ability.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import { kindOfOperation } from '../../definitions/kind-of-operation.js';
import type { Registry } from '../../definitions/registry.js';
import { isAdHoc } from '../harvest/find-scripts.js';
import { cellOf, lifecycleCell, literalCell } from './cell-text.js';
import { COLUMN, type Level } from './section-forms.js';

/** An ability as routing documents show it; the registry has the rest. Source: R-000-05. */
export interface RoutedAbility {
  id: string;
  level: Level;
  modules: readonly string[];
  /** Relative to the project root. */
  path: string;
  /** The cells of its row as Markdown, by column. */
  cells: string[];
  /** Precedes the text of each row; empty for stable abilities. */
  lifecycle: string;
  /** False if an unreadable file may define the implementation. */
  isKindKnown: boolean;
}

/** All abilities that documents can list. Source: R-000-06. */
export interface ListedAbilities {
  byId: Map<string, RoutedAbility>;
  byPath: Map<string, RoutedAbility>;
  /** Whether an existing definition cannot be read now, so that its row must stay. */
  isUnreadable(id: string, level: Level): boolean;
}

export function listedAbilities(registry: Registry): ListedAbilities {
  const abilities = [...compositesOf(registry), ...operationsOf(registry)];
  const { broken, opaque } = registry;
  return {
    byId: new Map(abilities.map((ability) => [ability.id, ability])),
    byPath: new Map(abilities.map((ability) => [ability.path, ability])),
    isUnreadable: (id, level) => broken.has(`ability:${id}`) || opaque.some(({ kind }) => kind === level),
  };
}

function compositesOf(registry: Registry): RoutedAbility[] {
  return loadedComposites(registry).map(([, { value, file }]) => {
    const { id, type, scope, summary } = value;
    const lifecycle = lifecycleCell(value);
    const modules = scope.modules ?? [];
    return routed({ id, level: 'high-level', modules, path: file, lifecycle, isKindKnown: true }, type, summary);
  });
}

function operationsOf(registry: Registry): RoutedAbility[] {
  const kindOf = kindOfOperation(registry);
  return [...registry.operations.values()].map(({ value, file }) => {
    const { operation_key: id, scope, summary } = value;
    const kind = kindOf(value);
    const isKindKnown = !mayHaveOtherKind(registry, id);
    const lifecycle = lifecycleCell(value);
    const modules = scope.modules ?? [];
    const ability = routed({ id, level: 'low-level', modules, path: file, lifecycle, isKindKnown }, kind, summary);
    ability.cells[COLUMN.words] += insteadOf(value);
    return ability;
  });
}

/** Says that an ability replaces the ad-hoc script that it runs. Source: R-000-91. */
function insteadOf({ implementation }: LowLevel): string {
  if (implementation?.kind !== 'script') return '';
  const path = implementation.script.path.replace(/^(\.\/)+/, '');
  return isAdHoc(path) ? ` ${cellOf(`Replaces the ad-hoc script \`${path}\`.`)}` : '';
}

function mayHaveOtherKind({ broken, opaque }: Registry, id: string): boolean {
  const isOpen = opaque.some(({ kind }) => kind === 'implementations' || kind === 'config');
  return isOpen || broken.has(`implementation_of:${id}`) || broken.has(`config:${id}`);
}

function routed(ability: Omit<RoutedAbility, 'cells'>, kind: string, summary: string): RoutedAbility {
  const cells: string[] = [];
  cells[COLUMN.id] = ability.id;
  cells[COLUMN.kind] = kind;
  cells[COLUMN.scope] = literalCell(ability.modules.join(', ')) || 'any';
  cells[COLUMN.words] = cellOf(summary);
  cells[COLUMN.path] = literalCell(ability.path);
  return { ...ability, cells };
}
