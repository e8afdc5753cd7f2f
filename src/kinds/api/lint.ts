import type { Json } from '../../contracts/json.js';
import { templateDiagnostics } from '../../lint/checks/expressions.js';
import type { SectionCheck } from '../../lint/checks/section-check.js';
import { viewOf } from '../../lint/types/infer.js';

export const checkApiSection: SectionCheck<'api'> = function* ({ api }, path, names) {
  const view = viewOf(names);
  for (const key of ['query', 'headers', 'body'] as const) {
    const template = api[key] as Json | undefined;
    if (template !== undefined) yield* templateDiagnostics(template, [...path, key], view);
  }
};
