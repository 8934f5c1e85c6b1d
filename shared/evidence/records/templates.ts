import type { OrganizationId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import { digestKey, readSharedBody } from '#shared/bodies/bodies.ts';
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

async function readStored(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  digest: string,
): Promise<StoredTemplate> {
  const known = remembered.get(digestKey(org, digest));
  if (known) return known;
  const text = await readSharedBody(table, objects, org, digest);
  const found = { template: readTemplateText(text), text };
  remembered.set(digestKey(org, digest), found, text.length);
  return found;
}

/**
 * Reads the template with this digest (rules/flows.md#stored-templates).
 *
 * @param digest null is the empty template
 */
export async function loadTemplate(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  digest: string | null,
): Promise<Template> {
  if (digest === null) return EMPTY_TEMPLATE;
  return (await readStored(table, objects, org, digest)).template;
}

/**
 * Reads the template with this digest and its text as uploaded. A template that nobody uploaded as YAML has the text
 * `""`.
 */
export async function loadTemplateAndText(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  digest: string | null,
): Promise<{ template: Template; text: string }> {
  if (digest === null) return { template: EMPTY_TEMPLATE, text: '' };
  const { template, text } = await readStored(table, objects, org, digest);
  return { template, text: isLegacyList(text) || isDerived(text) ? '' : text };
}

/** Parses a stored template text. Only the legacy list of names begins with a bracket; every other text is YAML. */
export const readTemplateText = (text: string): Template =>
  isLegacyList(text) ? legacyTemplate(JSON.parse(text) as string[]) : readStoredTemplate(text);

const isLegacyList = (text: string): boolean => text.startsWith('[');

/** Returns the stored text of a legacy list. */
export const legacyTemplateText = (names: readonly string[]): string => JSON.stringify(names);

/** Returns the stored text of a template that was derived from legacy reports: JSON, which is also YAML. */
export const derivedTemplateText = (template: Template): string => JSON.stringify(template);

/** Whether a stored template was derived from legacy reports. Legacy reports never change an uploaded template. */
export const isDerivedTemplate = async (
  table: Table,
  objects: Objects,
  org: OrganizationId,
  digest: string,
): Promise<boolean> => isDerived((await readStored(table, objects, org, digest)).text);

const isDerived = (text: string): boolean => text.startsWith('{"version":1,"trail":{');
