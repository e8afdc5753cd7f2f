import type { Json, JsonObject } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';
import type { Imported, ImportedOperation, LeftOut } from '../imported.js';
import { cleanText, isPart, listOf, memberOf, type Part, textOf } from '../openapi/document-parts.js';
import { nameOperations } from '../openapi/name-operations.js';
import { readDocument } from '../openapi/read-document.js';
import { actionsOf } from './actions.js';
import { type AnswerForm, type AnswerNeeds, answerForm, formKey, withNeedsOf } from './answer-form.js';
import { type KnownOperation, type KnownSource, Sources } from './find-operation.js';
import { NotTranslated } from './not-translated.js';
import type { Callee } from './translate-step.js';
import { translateWorkflow } from './translate-workflow.js';

export interface ArazzoDocument {
  document: Part;
  from: string;
  title: string;
  sources: { name: string; url: string; type: string }[];
}

/** Source: Arazzo 1.0.1 and 1.1.0. @throws AbilityError `import.unreadable`, `import.unsupported`. */
export function openArazzo(text: string, from: string): ArazzoDocument {
  const document = readDocument(text, from, 'Arazzo');
  const version = memberOf(document, 'arazzo');
  if (version === undefined) throw unreadable(`${from} is no Arazzo document: it has no \`arazzo: 1.x\``);
  if (!/^1\.[01](\.\d+)?(-\S+)?$/.test(String(version))) {
    throw new AbilityError({
      code: 'import.unsupported',
      message: `${from} is Arazzo ${cleanText(String(version), 20)}; only 1.0 and 1.1 are supported`,
    });
  }
  const workflows = listOf(memberOf(document, 'workflows'));
  const ids = workflows.map((workflow) => textOf(memberOf(workflow, 'workflowId')));
  if (workflows.length === 0) throw unreadable(`${from} has no workflows`);
  if (ids.includes(undefined)) throw unreadable(`${from} has a workflow without workflowId`);
  if (new Set(ids).size < ids.length) throw unreadable(`${from} has a workflowId that occurs twice`);
  const sources = listOf(memberOf(document, 'sourceDescriptions')).map((source) => ({
    name: String(memberOf(source, 'name') ?? ''),
    url: String(memberOf(source, 'url') ?? ''),
    type: String(memberOf(source, 'type') ?? 'openapi'),
  }));
  return { document, from, title: textOf(memberOf(memberOf(document, 'info'), 'title')) ?? '', sources };
}

export interface ArazzoImport {
  prefix: string;
  sources: readonly KnownSource[];
  definitionOf(key: string): JsonObject | undefined;
  /** Why a second form of an ability would escape its guards or settings; undefined: it does not. */
  whyUnguarded(key: string, form: string): string | undefined;
}

/** Translates each workflow of a document, or leaves it out with its name, the reason and the place. */
export function importArazzo({ document }: ArazzoDocument, wanted: ArazzoImport): Imported {
  return new Translation(document, wanted).all();
}

class Translation {
  private readonly keys: Map<string, string>;
  private readonly workflows: Map<string, Part>;
  private readonly done = new Map<string, ImportedOperation | NotTranslated | 'begun'>();
  private readonly known: Sources;
  private readonly needs = new Map<string, { status: boolean; headers: Set<string> }>();
  /** Second forms of operations, with the workflows that use them. */
  private readonly forms = new Map<string, { form: AnswerForm; operation: KnownOperation; users: Set<string> }>();

  constructor(
    private readonly document: Part,
    private readonly wanted: ArazzoImport,
  ) {
    const listed = listOf(memberOf(document, 'workflows')).filter(isPart);
    this.workflows = new Map(listed.map((workflow) => [String(memberOf(workflow, 'workflowId')), workflow]));
    const named = [...this.workflows.keys()].map((id) => ({
      source: id,
      method: 'workflow',
      path: id,
      operationId: id,
    }));
    this.keys = new Map([...nameOperations(named, wanted.prefix)].map(([{ source }, key]) => [source, key]));
    this.known = new Sources(wanted.sources, wanted.definitionOf);
    for (const workflow of this.workflows.values()) this.gatherNeeds(workflow);
  }

  all(): Imported {
    const operations: ImportedOperation[] = [];
    const leftOut: LeftOut[] = [];
    for (const id of this.workflows.keys()) {
      const made = this.translate(id);
      if (made instanceof NotTranslated) leftOut.push({ source: id, reason: made.message });
      else operations.push(made);
    }
    const taken = new Set(operations.map(({ source }) => source));
    const forms = [...this.forms.values()].filter(({ users }) => [...users].some((user) => taken.has(user)));
    return {
      operations: [...forms.map(formAsOperation), ...operations],
      leftOut,
      notes: forms.length > 0 ? [noteOfForms(forms.map(({ form }) => form.key))] : [],
    };
  }

  private translate(id: string): ImportedOperation | NotTranslated {
    const known = this.done.get(id);
    if (known === 'begun') return new NotTranslated(`it calls itself, by way of ${id}`, '');
    if (known) return known;
    this.done.set(id, 'begun');
    const made = this.attempt(id);
    this.done.set(id, made);
    return made;
  }

  private attempt(id: string): ImportedOperation | NotTranslated {
    const key = this.keys.get(id) ?? id;
    const notes: string[] = [];
    try {
      const definition = translateWorkflow(key, this.workflows.get(id) ?? {}, {
        document: this.document,
        note: (text) => void notes.push(text),
        callee: (step, place) => this.callee(step, place, id),
        ability: (workflowId, place) => this.ability(workflowId, place),
        requiredInputs: (workflowId) => this.requiredInputs(workflowId),
      });
      return { key, source: id, definition, notes: [...new Set(notes)] };
    } catch (error) {
      if (error instanceof NotTranslated) return error;
      throw error;
    }
  }

  private ability(workflowId: string, place: string): string {
    if (!this.workflows.has(workflowId)) return this.known.workflow(workflowId, place);
    const made = this.translate(workflowId);
    if (made instanceof NotTranslated)
      throw new NotTranslated(`the workflow ${workflowId} is left out (${made.message})`, place);
    return made.key;
  }

  private requiredInputs(workflowId: string): string[] {
    const inputs = memberOf(this.workflows.get(workflowId), 'inputs');
    const name = String(memberOf(inputs, '$ref') ?? '').replace('#/components/inputs/', '');
    const target = name === '' ? inputs : memberOf(memberOf(memberOf(this.document, 'components'), 'inputs'), name);
    return listOf(memberOf(target, 'required')).map(String);
  }

  private callee(step: Part, place: string, user: string): Callee {
    const [operationId, path, workflowId] = ['operationId', 'operationPath', 'workflowId'].map((key) =>
      textOf(memberOf(step, key)),
    );
    if ([operationId, path, workflowId].filter((one) => one !== undefined).length !== 1) {
      throw new NotTranslated('it has not exactly one of operationId, operationPath and workflowId', place);
    }
    if (workflowId !== undefined) return { ability: this.ability(workflowId, place) };
    const operation =
      operationId === undefined ? this.known.byPath(path ?? '', place) : this.known.byId(operationId, place);
    return { operation, form: this.formOf(operation, place, user) };
  }

  private formOf(operation: KnownOperation, place: string, user: string): AnswerForm {
    const needs: AnswerNeeds = this.needs.get(operation.key) ?? { status: false, headers: new Set() };
    const form = this.forms.get(operation.key)?.form ?? this.makeForm(operation, needs, place);
    if (form.definition === undefined) return form;
    const why = this.wanted.whyUnguarded(operation.key, formKey(operation.key));
    if (why !== undefined) throw new NotTranslated(why, place);
    const users = this.forms.get(operation.key)?.users ?? new Set();
    this.forms.set(operation.key, { form, operation, users: users.add(user) });
    return form;
  }

  /** Keeps in a second form what workflows of other imports already read from it. */
  private makeForm(operation: KnownOperation, needs: AnswerNeeds, place: string): AnswerForm {
    const form = answerForm(operation, needs, place);
    const known = form.definition && this.wanted.definitionOf(form.key);
    return known ? answerForm(operation, withNeedsOf(known, needs), place) : form;
  }

  /** Collects what any step reads of an operation's answers, so that one form is enough. */
  private gatherNeeds(workflow: Part): void {
    for (const step of listOf(memberOf(workflow, 'steps')).filter(isPart)) {
      const operation = this.operationIn(step);
      if (!operation) continue;
      const needs = this.needs.get(operation.key) ?? { status: false, headers: new Set<string>() };
      const read = JSON.stringify([
        memberOf(step, 'successCriteria'),
        memberOf(step, 'outputs'),
        this.successOf(workflow, step),
      ]);
      // Of successful calls only: a failed one has its status in the failure.
      needs.status ||= read.includes('$statusCode');
      for (const [, name = ''] of read.matchAll(/\$response\.header\.([A-Za-z0-9!#$%&'*+.^_`|~-]+)/g)) {
        if (![...needs.headers].some((one) => one.toLowerCase() === name.toLowerCase())) needs.headers.add(name);
      }
      this.needs.set(operation.key, needs);
    }
  }

  private successOf(workflow: Part, step: Part): Json {
    try {
      return actionsOf(this.document, workflow, step, 'success', '').map(({ criteria }) => criteria as Json);
    } catch (error) {
      if (error instanceof NotTranslated) return null;
      throw error;
    }
  }

  private operationIn(step: Part): KnownOperation | undefined {
    const [id, path] = [textOf(memberOf(step, 'operationId')), textOf(memberOf(step, 'operationPath'))];
    try {
      if (id !== undefined) return this.known.byId(id, '');
      return path === undefined ? undefined : this.known.byPath(path, '');
    } catch (error) {
      if (error instanceof NotTranslated) return undefined;
      throw error;
    }
  }
}

function formAsOperation({ form, operation }: { form: AnswerForm; operation: KnownOperation }): ImportedOperation {
  return { key: form.key, source: `${operation.source} with its status`, definition: form.definition ?? {}, notes: [] };
}

function noteOfForms(keys: string[]): string {
  const shown = `${keys.slice(0, 5).join(', ')}${keys.length > 5 ? ` and ${keys.length - 5} more` : ''}`;
  return `The workflows read status or headers of answers, so these operations have a second form of their own: ${shown}. What you change in the first one is taken over by the next import`;
}

function unreadable(message: string): AbilityError {
  return new AbilityError({ code: 'import.unreadable', message });
}
