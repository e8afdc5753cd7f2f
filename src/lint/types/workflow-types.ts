import { ANSWER_FILE, type PlanOutputFile } from '../../contracts/files.js';
import type { Json } from '../../contracts/json.js';
import { END_STATES, OPEN_STATES, STEP_STATUSES } from '../../contracts/states.js';
import { loadedAbility } from '../../definitions/find-ability.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { ExpandedTemplate, StepDefinition, StepOf } from '../../definitions/formats/steps.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { writtenKindOf } from '../../kinds/kinds.js';
import { resolveOutputFiles } from '../../planning/resolve/resolve-output.js';
import { nameOfStep } from '../../rules/steps/step-tree.js';
import { memoize } from '../../text/memoize.js';
import { environmentsOf } from '../checks/abilities.js';
import {
  type ExpressionSite,
  findSites,
  type KnownCondition,
  loopsAround,
  type StepNode,
  type WorkflowSites,
} from './expression-sites.js';
import { typeOfForms } from './implementations.js';
import { inferType, type View } from './infer.js';
import { parseExpression, presentAfter } from './read-expression.js';
import { templateType } from './template-type.js';
import {
  ANY,
  BOOL,
  filesType,
  INT,
  itemsOf,
  listType,
  mapType,
  NULL,
  STRING,
  type Type,
  textsType,
  typeOfValue,
  unite,
} from './type.js';
import { typeOfInput, typeOfSchema } from './type-of-schema.js';

const PROBLEM = mapType({ code: STRING, message: STRING }, () => ANY);
const STEP = { status: textsType(STEP_STATUSES), error: unite(NULL, PROBLEM), link: unite(NULL, STRING) };

/** The names visible in `retry.if`. */
const OF_ATTEMPT: View = {
  typeOf: (name) => (name === 'error' ? PROBLEM : name === 'attempt' ? INT : undefined),
  present: new Set(),
};

const FIELD_TYPES: Record<string, Type> = {
  string: STRING,
  integer: INT,
  number: [{ kind: 'int' }, { kind: 'double' }],
  boolean: BOOL,
};

export class WorkflowTypes implements WorkflowSites {
  readonly nodes: StepNode[];
  readonly sites: ExpressionSite[];
  private readonly byId: Map<string, StepNode>;
  private readonly outputs = new Map<StepDefinition, Type>();
  private readonly loopTypes = new Map<string, Type>();
  private readonly common: Record<string, Type>;

  constructor(
    private readonly registry: Registry,
    readonly workflow: Loaded<HighLevel>,
  ) {
    const { nodes, sites } = findSites(workflow.value);
    this.nodes = nodes;
    this.sites = sites;
    this.byId = new Map(nodes.map((node) => [node.id, node]));
    this.common = {
      input: typeOfInput(workflow.value.input_schema),
      steps: this.stepsType(),
      environment: environmentType(registry, environmentsOf(registry, workflow.value.scope)),
      task: TASK,
    };
  }

  step(id: string): StepNode | undefined {
    return this.byId.get(id);
  }

  viewAt({ loops, sees, conditions }: Pick<ExpressionSite, 'loops' | 'sees' | 'conditions'>): View {
    if (sees === 'attempt') return OF_ATTEMPT;
    return {
      typeOf: (name) => {
        if (Object.hasOwn(this.common, name)) return this.common[name];
        if (name === 'signal' && sees === 'signal') return ANY;
        for (const loop of loops) {
          const { definition } = loop;
          if ('as' in definition && definition.as === name) return this.itemType(loop, loops);
          if ('index' in definition && definition.index === name) return INT;
        }
        return undefined;
      },
      present: knownPresent(conditions),
    };
  }

  private stepsType(): Type {
    const fields = this.nodes.map(({ id, definition }) => {
      const type = (): Type => {
        const output = { type: () => this.outputOf(definition, this.byId.get(id)), isOptional: false };
        const files = this.filesOf(definition);
        return mapType({ ...STEP, output, ...(files && { files: filesType(files) }) });
      };
      return [id, { type, isOptional: false }] as const;
    });
    // The check of ids reports an unknown step.
    return mapType(Object.fromEntries(fields), () => ANY);
  }

  /** The output files of the operation that a step calls; undefined if it has none. */
  private filesOf(step: StepDefinition): Record<string, PlanOutputFile> | undefined {
    const called = step.verb === 'call' ? this.registry.operations.get(step.call)?.value : undefined;
    if (!called) return undefined;
    if (called.output_files) return resolveOutputFiles(called.output_files);
    const { implementation } = called;
    const isFile = implementation !== undefined && writtenKindOf(implementation).writtenAnswerIsFile(implementation);
    return isFile ? { [ANSWER_FILE]: { glob: '*' } } : undefined;
  }

  /** Includes null, for expressions that read it before the step has run. */
  private outputOf(step: StepDefinition, node: StepNode | undefined): Type {
    const seen = this.outputs.get(step);
    if (seen) return seen;
    this.outputs.set(step, ANY);
    const view = this.viewAt({ loops: loopsAround(node), conditions: [] });
    const handled = (step.on_error ?? []).map(({ output = null }) => templateType(output, view));
    const type = unite(this.verbOutput(step, view), ...handled, NULL);
    this.outputs.set(step, type);
    return type;
  }

  private verbOutput(step: StepDefinition, view: View): Type {
    switch (step.verb) {
      case 'call':
        return this.calledOutput(step.call);
      case 'approval':
        return approvalOutput(step);
      case 'parallel':
        return mapType(Object.fromEntries(this.branchOutputs(step.parallel)));
      case 'race': {
        const outputs = this.branchOutputs(step.race);
        const winner = unite(textsType(outputs.map(([id]) => id)), NULL);
        return mapType({ winner, output: unite(NULL, ...outputs.map(([, type]) => type)) });
      }
      case 'foreach':
        return listType(this.lastOutput(step.steps));
      case 'repeat':
        return this.lastOutput(step.steps);
      case 'steps':
        return step.expanded ? this.templateOutput(step.steps, step.expanded, view) : this.lastOutput(step.steps);
      case 'switch':
        return unite(NULL, ...step.switch.map((item) => this.lastOutput('else' in item ? item.else : item.steps)));
      case 'let':
        return templateType(step.let, view);
      case 'wait':
        return typeof step.wait === 'object' && 'signal' in step.wait ? ANY : NULL;
      case 'template':
      case 'fail':
      case 'end':
        return NULL;
    }
  }

  private branchOutputs(branches: Record<string, StepDefinition>): [string, Type][] {
    return Object.values(branches).map((branch) => [
      nameOfStep(branch.id),
      this.outputOf(branch, this.byId.get(branch.id)),
    ]);
  }

  /** Without an `output` of the template: that of its last step, not counting the step for its arguments. */
  private templateOutput(steps: readonly StepDefinition[], { isGiven, output }: ExpandedTemplate, view: View): Type {
    if (output !== undefined) return templateType(output, view);
    return this.lastOutput(isGiven ? steps.slice(1) : steps);
  }

  /** The union of the last step and the conditional ones at the end: any of them may be the last to run. */
  private lastOutput(steps: readonly StepDefinition[]): Type {
    const outputs: Type[] = [NULL];
    for (const step of [...steps].reverse()) {
      outputs.push(this.outputOf(step, this.byId.get(step.id)));
      if (step.if === undefined) break;
    }
    return unite(...outputs);
  }

  private calledOutput(id: string): Type {
    const called = loadedAbility(this.registry, id);
    const schema = called?.value.output_schema;
    return schema ? typeOfSchema(schema) : typeOfForms(this.registry, id);
  }

  private itemType(loop: StepNode, loops: readonly StepNode[]): Type {
    const seen = this.loopTypes.get(loop.id);
    if (seen) return seen;
    this.loopTypes.set(loop.id, ANY);
    const type = this.itemOf(loop.definition, loops.slice(0, loops.indexOf(loop)));
    this.loopTypes.set(loop.id, type);
    return type;
  }

  private itemOf(definition: StepDefinition, loops: readonly StepNode[]): Type {
    if (definition.verb !== 'foreach') return ANY;
    const view = this.viewAt({ loops, conditions: [] });
    const { foreach } = definition;
    return itemsOf(typeof foreach === 'string' ? inferType(foreach, view, () => {}) : templateType(foreach, view));
  }
}

const TASK = mapType({
  key: unite(STRING, NULL),
  ability: STRING,
  started_at: STRING,
  status: textsType([...OPEN_STATES, ...END_STATES]),
  error: unite(NULL, PROBLEM),
});

/** The type of `environment` for these environments: a variable that some of them lack may be missing. */
export function environmentType({ project }: Registry, names: readonly string[]): Type {
  const all = names.flatMap((name) => {
    const vars = project.environments[name]?.vars;
    return vars ? [vars] : [];
  });
  const keys = new Set(all.flatMap((vars) => Object.keys(vars)));
  const fields = [...keys].map((key) => {
    const values = all.flatMap((vars): Json[] => (vars[key] === undefined ? [] : [vars[key]]));
    const type = unite(...values.map(widened));
    return [key, { type: () => type, isOptional: values.length < all.length }] as const;
  });
  const vars = mapType(Object.fromEntries(fields), 'none', true);
  return mapType({ name: textsType(names), protected: BOOL, vars });
}

/** The value of a variable may change, so only its type counts. */
function widened(value: Json): Type {
  return typeof value === 'string' ? STRING : typeOfValue(value);
}

function approvalOutput({ approval }: StepOf<'approval'>): Type {
  const fields = Object.entries(approval.fields ?? {}).map(([name, { type, enum: choices, optional }]) => {
    const of = choices ? unite(...choices.map(typeOfValue)) : (FIELD_TYPES[type] ?? ANY);
    return [name, { type: () => of, isOptional: optional === true }] as const;
  });
  const filled = mapType(Object.fromEntries(fields), 'none', true);
  return mapType({ decision: textsType(['approve']), by: STRING, comment: unite(STRING, NULL), fields: filled });
}

const knownPresent = memoize((conditions: readonly KnownCondition[]): ReadonlySet<string> => {
  const paths = new Set<string>();
  for (const { source, outcome } of conditions) {
    const tree = parseExpression(source);
    if (tree) for (const path of presentAfter(tree, outcome)) paths.add(path);
  }
  return paths;
});
