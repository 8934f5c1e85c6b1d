import * as z from 'zod';
import { readStoredTemplate, type Template, TemplateError } from '#shared/evidence/rules/template.ts';
import { Fault } from '../fault.ts';
import { NamedBody, openNamedBody } from './bodies.ts';
import { fitting, linesOf, recordsOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const TEMPLATE = 'templates/template';
const TemplateLine = z.strictObject({ item: z.literal('template'), body: NamedBody });
const FlowLine = z.looseObject({ template: z.string().nullable() });

export class Templates {
  /** Null if the template was erased. */
  readonly #templates: ReadonlyMap<string, Template | null>;
  /** Digests that a proved moment names, and those that only moments after the checkpoint name. */
  readonly #named = new Map<string, boolean>();

  constructor(templates: ReadonlyMap<string, Template | null>) {
    this.#templates = templates;
  }

  get(digest: string): Template | null | undefined {
    return this.#templates.get(digest);
  }

  /** Notes that a moment names a template. @param isProved whether the log has the moment, up to the checkpoint */
  names(digest: string, isProved: boolean): void {
    this.#named.set(digest, isProved || this.#named.get(digest) === true);
  }

  isProved(digest: string): boolean | undefined {
    return this.#named.get(digest);
  }
}

/** Reads the templates of an export. Templates can have several lines. */
export async function readTemplates(state: ProofState): Promise<Templates> {
  const templates = new Map<string, Template | null>();
  for await (const [place, { body }] of recordsOf(state, 'templates', TemplateLine)) {
    const text = await openNamedBody(state.files, place, body);
    if (text && 'sha256' in body) templates.set(body.sha256, readTemplate(place, text.toString('utf8')));
  }
  return new Templates(templates);
}

/** Returns the template that a moment names; null if it was erased. @throws Fault if the export does not have it */
export function templateOf(templates: Templates, place: string, digest: string): Template | null {
  const template = templates.get(digest);
  if (template === undefined) throw new Fault(place, `no line of templates has the template ${digest}`);
  return template;
}

/**
 * Says how the lines of templates stand, after all moments were read. A template is proved by its digest in a moment. One that
 * only a flow names follows from the line of the flow.
 */
export async function verifyTemplateLines(state: ProofState, templates: Templates): Promise<void> {
  const ofFlows = new Set<string | null>();
  for await (const { place, item, record } of linesOf(state, 'flows'))
    if (item === 'flow') ofFlows.add(fitting(place, FlowLine, record).template);
  for await (const [, { body }] of recordsOf(state, 'templates', TemplateLine)) {
    if (!('sha256' in body)) continue;
    const isProved = templates.isProved(body.sha256);
    if (isProved !== undefined) state.scope.stands(TEMPLATE, isProved ? 'proved' : 'later');
    else if (ofFlows.has(body.sha256)) state.scope.stands(TEMPLATE, 'follows');
  }
  state.scope.note(TEMPLATE, 'a template that no moment and no flow names is not covered');
}

function readTemplate(place: string, text: string): Template {
  try {
    return readStoredTemplate(text);
  } catch (error) {
    if (error instanceof TemplateError) throw new Fault(place, error.message, error);
    throw error;
  }
}
