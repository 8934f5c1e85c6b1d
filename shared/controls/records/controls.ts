import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { readBody, StoredBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';

import { ControlIdentifier } from '#shared/evidence/rules/shared-fields.ts';
import { readTags } from '#shared/series/tag-items.ts';
import { keyText, type Table } from '#shared/table/table.ts';
import { controlHeadKey, controlTagsKey, controlVersionKey } from './keys.ts';

/** What people say of a control, versioned as a whole (semantics §7.1). */
export const ControlContent = z.object({
  name: z.string(),
  /** Null = never given. */
  description: z.string().nullable(),
  /** Name → address. */
  links: z.record(z.string(), z.string()),
});
export type ControlContent = z.infer<typeof ControlContent>;

/** What a version of a control is about; the words of the API document, «States and transitions». */
export const CONTROL_STATUSES = ['created', 'updated', 'archived', 'unarchived'] as const;
export type ControlStatus = (typeof CONTROL_STATUSES)[number];

export const ControlHead = z.object({
  id: z.string(),
  /** Never changes, and is never given to another control. */
  identifier: z.string(),
  created: z.number(),
  /** Name of who made it. */
  by: z.string(),
  modified: z.number(),
  archived: z.boolean(),
  /** Number of the latest version; versions are numbered from 1 without gaps, and guard the head against lost updates. */
  version: z.number(),
  content: StoredBody,
});
export type ControlHead = z.infer<typeof ControlHead>;

export const ControlVersionItem = z.object({
  version: z.number(),
  status: z.enum(CONTROL_STATUSES),
  archived: z.boolean(),
  at: z.number(),
  by: z.string(),
  content: StoredBody,
});

export interface Control {
  head: ControlHead;
  content: ControlContent;
  tags: Record<string, string>;
}

export type ControlVersion = Omit<z.infer<typeof ControlVersionItem>, 'content'> & { content: ControlContent };

/** Identifiers outside the pattern are unknown without a look, and never enter a key (semantics §1.2). */
const isPlausible = (identifier: string): boolean => ControlIdentifier.safeParse(identifier).success;

export async function readControlHead(
  table: Table,
  org: OrganizationId,
  identifier: string,
): Promise<ControlHead | null> {
  if (!isPlausible(identifier)) return null;
  const item = await table.get(controlHeadKey(org, identifier));
  return item ? ControlHead.parse(item) : null;
}

/** Identifiers among these that no control of the organization has, archived ones counting as there. */
export async function unknownControls(
  table: Table,
  org: OrganizationId,
  identifiers: readonly string[],
): Promise<string[]> {
  const found = await table.getMany(identifiers.filter(isPlausible).map((one) => controlHeadKey(org, one)));
  return identifiers.filter((one) => !isPlausible(one) || !found.has(keyText(controlHeadKey(org, one))));
}

/** A control that could not be read: lists show a placeholder in its place, and the log why (house style 17). */
export interface UnreadableControl {
  identifier: string;
  unreadable: unknown;
}

/** Controls with their tags, in the order asked; those that are not there are left out. */
export async function readControls(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  identifiers: readonly string[],
): Promise<(Control | UnreadableControl)[]> {
  const found = await table.getMany(identifiers.flatMap((one) => [controlHeadKey(org, one), controlTagsKey(org, one)]));
  const read = await Promise.all(
    identifiers.map(async (identifier): Promise<Control | UnreadableControl | null> => {
      const item = found.get(keyText(controlHeadKey(org, identifier)));
      if (!item) return null;
      try {
        const head = ControlHead.parse(item);
        const tags = readTags(found.get(keyText(controlTagsKey(org, identifier))));
        return { head, content: await readContent(objects, org, head.content), tags };
      } catch (unreadable) {
        return { identifier, unreadable };
      }
    }),
  );
  return read.filter((control) => control !== null);
}

/** One control with its tags; archived ones too. */
export async function readControl(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  identifier: string,
): Promise<Control | null> {
  if (!isPlausible(identifier)) return null;
  const [control] = await readControls(table, objects, org, [identifier]);
  if (control && 'unreadable' in control) throw control.unreadable;
  return control ?? null;
}

export async function readControlVersion(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  identifier: string,
  version: number,
): Promise<ControlVersion | null> {
  if (!isPlausible(identifier)) return null;
  const item = await table.get(controlVersionKey(org, identifier, version));
  if (!item) return null;
  const { content, ...rest } = ControlVersionItem.parse(item);
  return { ...rest, content: await readContent(objects, org, content) };
}

const ERASED: ControlContent = { name: '', description: null, links: {} };

export async function readContent(objects: Objects, org: OrganizationId, body: StoredBody): Promise<ControlContent> {
  const text = await readBody(objects, org, body);
  return text === null ? ERASED : ControlContent.parse(JSON.parse(text));
}

/** The tags of controls, by identifier. */
export async function readControlTags(
  table: Table,
  org: OrganizationId,
  identifiers: readonly string[],
): Promise<Map<string, Record<string, string>>> {
  const found = await table.getMany(identifiers.map((one) => controlTagsKey(org, one)));
  return new Map(identifiers.map((one) => [one, readTags(found.get(keyText(controlTagsKey(org, one))))]));
}
