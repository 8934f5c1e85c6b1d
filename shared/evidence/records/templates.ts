import type { OrganizationId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import { digestKey, readSharedBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Table } from '#shared/table/table.ts';
import { EMPTY_TEMPLATE, legacyTemplate, readStoredTemplate, type Template } from '../rules/template.ts';

interface KeptTemplate {
  template: Template;
  /** As it is kept: what was uploaded, or JSON that the service wrote. */
  kept: string;
}

/** By the text's digest. Every report to a flow needs its template: a read and up to a millisecond of parsing. */
const remembered = memoryOf<KeptTemplate>('template');

async function readKept(table: Table, objects: Objects, org: OrganizationId, digest: string): Promise<KeptTemplate> {
  const known = remembered.get(digestKey(org, digest));
  if (known) return known;
  const kept = await readSharedBody(table, objects, org, digest);
  const found = { template: readTemplateText(kept), kept };
  remembered.set(digestKey(org, digest), found, kept.length);
  return found;
}

/** The template kept under a digest; null is the empty template. The legacy form is kept as a JSON list of names. */
export async function loadTemplate(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  digest: string | null,
): Promise<Template> {
  if (digest === null) return EMPTY_TEMPLATE;
  return (await readKept(table, objects, org, digest)).template;
}

/** The template as {@link loadTemplate} gives it, and its text as it was uploaded: `""` where none ever was. */
export async function loadTemplateAndText(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  digest: string | null,
): Promise<{ template: Template; text: string }> {
  if (digest === null) return { template: EMPTY_TEMPLATE, text: '' };
  const { template, kept } = await readKept(table, objects, org, digest);
  return { template, text: isLegacy(kept) || isMade(kept) ? '' : kept };
}

/** A kept template text: YAML, or the legacy list of names, which alone begins with a bracket. */
export const readTemplateText = (text: string): Template =>
  isLegacy(text) ? legacyTemplate(JSON.parse(text) as string[]) : readStoredTemplate(text);

const isLegacy = (text: string): boolean => text.startsWith('[');

/** The text under which a legacy list is kept. */
export const legacyTemplateText = (names: readonly string[]): string => JSON.stringify(names);

/** The text under which a template is kept that legacy reports made: JSON, which is YAML, too. */
export const madeTemplateText = (template: Template): string => JSON.stringify(template);

/** Whether a kept template was made by legacy reports: what callers upload is never changed by them. */
export const isMadeTemplate = async (
  table: Table,
  objects: Objects,
  org: OrganizationId,
  digest: string,
): Promise<boolean> => isMade((await readKept(table, objects, org, digest)).kept);

const isMade = (text: string): boolean => text.startsWith('{"version":1,"trail":{');
