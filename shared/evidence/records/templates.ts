import type { OrganizationId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import { digestKey, readSharedBodies } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Table } from '#shared/table/table.ts';
import { EMPTY_TEMPLATE, legacyTemplate, readStoredTemplate, type Template } from '../rules/template.ts';

interface StoredTemplate {
  template: Template;
  /** The stored text: the upload, or JSON that the service wrote. */
  text: string;
}

/** Templates by digest. Every report needs its template, which costs a read and up to a millisecond of parsing. */
const remembered = memoryOf<StoredTemplate>('template');

/** Reads templates by digest, those that are not remembered in one batch. */
async function readStored(table: Table, objects: Objects, org: OrganizationId, digests: Iterable<string>) {
  const distinct = [...new Set(digests)];
  const found = new Map(distinct.map((digest) => [digest, remembered.get(digestKey(org, digest))]));
  const unknown = distinct.filter((digest) => !found.get(digest));
  for (const [digest, text] of await readSharedBodies(table, objects, org, unknown)) {
    const stored = { template: readTemplateText(text), text };
    remembered.set(digestKey(org, digest), stored, text.length);
    found.set(digest, stored);
  }
  return (digest: string) => {
    const stored = found.get(digest);
    if (!stored) throw new Error(`The template ${digest} was not read`);
    return stored;
  };
}

/** Reads the template with this digest (rules/flows.md#stored-templates). @param digest null is the empty template */
export async function loadTemplate(table: Table, objects: Objects, org: OrganizationId, digest: string | null) {
  return (await loadTemplates(table, objects, org, [digest]))(digest);
}

/**
 * Reads many templates as {@link loadTemplate} does, in one batch.
 *
 * @returns a function that gives the template of each of these digests
 */
export async function loadTemplates(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  digests: readonly (string | null)[],
): Promise<(digest: string | null) => Template> {
  const stored = digests.filter((digest) => digest !== null);
  const storedOf = await readStored(table, objects, org, stored);
  return (digest) => (digest === null ? EMPTY_TEMPLATE : storedOf(digest).template);
}

/**
 * Reads the template with this digest and its text as uploaded. A template that nobody uploaded as YAML has the text
 * `""`.
 */
export async function loadTemplateAndText(table: Table, objects: Objects, org: OrganizationId, digest: string | null) {
  if (digest === null) return { template: EMPTY_TEMPLATE, text: '' };
  const { template, text } = (await readStored(table, objects, org, [digest]))(digest);
  return { template, text: isLegacyList(text) || isDerived(text) ? '' : text };
}

/** Parses a stored template text. Only the legacy list of names begins with a bracket; every other text is YAML. */
const readTemplateText = (text: string): Template =>
  isLegacyList(text) ? legacyTemplate(JSON.parse(text)) : readStoredTemplate(text);

const isLegacyList = (text: string): boolean => text.startsWith('[');

/** Returns the stored text of a legacy list. */
export const legacyTemplateText = (names: readonly string[]): string => JSON.stringify(names);

/** Returns the stored text of a template that was derived from legacy reports: JSON, which is also YAML. */
export const derivedTemplateText = (template: Template): string => JSON.stringify(template);

/** Whether a stored template was derived from legacy reports. Legacy reports never change an uploaded template. */
export const isDerivedTemplate = async (table: Table, objects: Objects, org: OrganizationId, digest: string) =>
  isDerived((await readStored(table, objects, org, [digest]))(digest).text);

const isDerived = (text: string): boolean => text.startsWith('{"version":1,"trail":{');
