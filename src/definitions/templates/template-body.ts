import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { Problem } from '../../contracts/problem.js';
import { splitText } from '../../rules/expressions/split-text.js';
import { unlessRefused } from '../../text/attempt.js';
import type { StepDefinition, StepOf } from '../formats/steps.js';
import { BARE, expressionsOf } from '../step-expressions.js';
import {
  changeLists,
  isRepeated,
  listsInside,
  loopNamesOf,
  placeInList,
  replaceAt,
  type StepList,
} from '../step-lists.js';
import { expandedId, rewriteExpression, type TemplateNames } from './rewrite-expression.js';

type Path = PropertyKey[];

interface At {
  path: Path;
  loops: readonly string[];
}

export interface TemplateFault {
  path: Path;
  problem: Problem;
}

/** Rewrites steps for one use: ids get its unique prefix, expressions read its own steps and arguments. */
export class TemplateBody {
  readonly faults: TemplateFault[] = [];

  constructor(private readonly names: TemplateNames) {}

  steps(list: StepList, { path, loops }: At): StepDefinition[] {
    return list.steps.map((step, index) => ({
      ...this.step(step, { path: [...path, ...placeInList(list, index)], loops }),
      id: expandedId(this.names.use, step.id),
    }));
  }

  /** Rewrites a value with `${{ }}`. */
  value(value: Json, at: At): Json {
    if (typeof value === 'string') return this.text(value, at);
    if (Array.isArray(value)) return value.map((item, index) => this.value(item, inside(at, index)));
    return isJsonObject(value) ? this.map(value, at) : value;
  }

  private map(value: JsonObject, at: At): JsonObject {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.value(item, inside(at, key))]));
  }

  private text(text: string, at: At): string {
    if (!text.includes('${{')) return text;
    return this.kept(text, at, () =>
      splitText(text)
        .map((part) => (typeof part === 'string' ? part : `\${{ ${this.rewritten(part.source, at)} }}`))
        .join(''),
    );
  }

  private bare(source: string, at: At): string {
    return this.kept(source, at, () => this.rewritten(source, at));
  }

  private rewritten(source: string, { loops }: At): string {
    return rewriteExpression(source, this.names, loops);
  }

  private kept(written: string, { path }: At, rewrite: () => string): string {
    return unlessRefused(rewrite, (refusal) => {
      this.faults.push({ path, problem: refusal.toProblem() });
      return written;
    });
  }

  private step(step: StepDefinition, at: At): StepDefinition {
    if (step.verb === 'template') this.refuseTemplate(step, at);
    const turn = [...at.loops, ...Object.values(loopNamesOf(step))];
    const rewritten = expressionsOf(step).reduce((changed, { path, value, belongs, sees }) => {
      // `retry.if` is about the failed attempt alone, and stays as it is.
      if (sees === 'attempt') return changed;
      const loops = sees === 'turn' ? turn : sees === 'signal' ? [...at.loops, 'signal'] : at.loops;
      const place = { path: [...at.path, ...path], loops };
      const isBare = BARE.has(belongs) && typeof value === 'string';
      return replaceAt(changed, path, isBare ? this.bare(value, place) : this.value(value, place));
    }, step);
    return changeLists(rewritten, listsInside(step), (list) => {
      const loops = isRepeated(list) ? turn : at.loops;
      return this.steps(list, { path: at.path, loops });
    });
  }

  private refuseTemplate({ template }: StepOf<'template'>, { path }: At): void {
    const problem: Problem = {
      code: 'definition.invalid',
      message: `The template \`${this.names.template}\` uses the template \`${template}\``,
      suggestion: 'Write the steps out, or make a workflow of them and `call` it.',
    };
    this.faults.push({ path: [...path, 'template'], problem });
  }
}

function inside({ path, loops }: At, ...keys: Path): At {
  return { path: [...path, ...keys], loops };
}
