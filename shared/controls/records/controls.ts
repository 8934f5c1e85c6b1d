import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { StoredMicros } from '#shared/base/time.ts';
import { readBody, StoredBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { ControlIdentifier } from '#shared/evidence/rules/shared-fields.ts';
import { findTagged } from '#shared/series/tag-index.ts';
import { readTags } from '#shared/series/tag-items.ts';
import { bySortKey } from '#shared/table/items.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import { CONTROL_STATUSES } from '../rules/control-statuses.ts';
import { Requirements } from '../rules/requirements.ts';
import {
  CONTROL_RANGE,
  controlHeadKey,
  controlPartition,
  controlTagKey,
  controlTagPartition,
  controlVersionKey,
} from './keys.ts';

/** The content of a control. Each version holds all of it (rules/controls.md#control-record). */
export const ControlContent = z.object({
  name: z.string(),
  /** Null = never given. */
  description: z.string().nullable(),
  /** Name → address. */
  links: z.record(z.string(), z.string()),
});
export type ControlContent = z.infer<typeof ControlContent>;

export const ControlHead = z.object({
  id: z.string(),
  /** Never changes. No other control ever gets it. */
  identifier: z.string(),
  created: StoredMicros,
  /** Name of the creator. */
  by: z.string(),
  modified: StoredMicros,
  archived: z.boolean(),
  /** Number of the latest version, from 1 without gaps. A write of the head is conditional on it. */
  version: z.number(),
  content: StoredBody,
  /** What decisions need in order to count; absent = every decision counts. */
  requires: Requirements.optional(),
});
export type ControlHead = z.infer<typeof ControlHead>;

const ControlVersionItem = z.object({
  version: z.number(),
  status: z.enum(CONTROL_STATUSES),
  archived: z.boolean(),
  at: StoredMicros,
  by: z.string(),
  content: StoredBody,
  requires: Requirements.optional(),
});

/** How exports show controls and their versions. */
export const SHOWN_CONTROL = { item: 'control', schema: ControlHead };
export const SHOWN_VERSION = { item: 'version', schema: ControlVersionItem };

export interface Control {
  head: ControlHead;
  content: ControlContent;
  tags: Record<string, string>;
}

export type ControlVersion = Omit<z.infer<typeof ControlVersionItem>, 'content'> & { content: ControlContent };

/** An identifier outside the pattern is unknown without a read, and never enters a key (rules/controls.md#identifier). */
const isIdentifier = (identifier: string): boolean => ControlIdentifier.safeParse(identifier).success;

export async function readControlHead(table: Table, org: OrganizationId, identifier: string) {
  if (!isIdentifier(identifier)) return null;
  const item = await table.get(controlHeadKey(org, identifier));
  return item ? ControlHead.parse(item) : null;
}

/** Reads what controls ask of decisions, by identifier. Leaves out controls that ask for nothing. Costs one batch. */
export async function readRequirements(table: Table, org: OrganizationId, identifiers: readonly string[]) {
  const found = await table.getMany(identifiers.filter(isIdentifier).map((one) => controlHeadKey(org, one)));
  const heads = [...found.values()].map((item) => ControlHead.parse(item));
  return new Map(heads.flatMap(({ identifier, requires }) => (requires ? [[identifier, requires] as const] : [])));
}

/** Returns those of the identifiers that no control of the organization has. An archived control still has its own. */
export async function unknownControls(table: Table, org: OrganizationId, identifiers: readonly string[]) {
  const found = await table.getMany(identifiers.filter(isIdentifier).map((one) => controlHeadKey(org, one)));
  return identifiers.filter((one) => !isIdentifier(one) || !found.has(keyText(controlHeadKey(org, one))));
}

/** A control that cannot be read. A list shows a placeholder for it, and the log has the cause (rules/lists.md#unreadable-records). */
export interface UnreadableControl {
  identifier: string;
  unreadable: unknown;
}

/** Reads controls with their tags, in the order of `identifiers`. Leaves out controls that do not exist. */
export async function readControls(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  identifiers: readonly string[],
): Promise<(Control | UnreadableControl)[]> {
  const found = await table.queryEach(identifiers.map((one) => ({ pk: controlPartition(org, one), ...CONTROL_RANGE })));
  const read = await Promise.all(
    identifiers.map(async (identifier, i): Promise<Control | UnreadableControl | null> => {
      const by = bySortKey(found[i] ?? []);
      const item = by.get('HEAD');
      if (!item) return null;
      try {
        const head = ControlHead.parse(item);
        const tags = readTags(by.get('TAGS'));
        return { head, content: await readContent(objects, org, head.content), tags };
      } catch (unreadable) {
        return { identifier, unreadable };
      }
    }),
  );
  return read.filter((control) => control !== null);
}

/**
 * Reads one control with its tags, even an archived one.
 *
 * @returns null if no control has the identifier
 * @throws the error of parsing if the stored control cannot be read
 */
export async function readControl(table: Table, objects: Objects, org: OrganizationId, identifier: string) {
  if (!isIdentifier(identifier)) return null;
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
  if (!isIdentifier(identifier)) return null;
  const item = await table.get(controlVersionKey(org, identifier, version));
  return item ? readVersion(objects, org, item) : null;
}

async function readVersion(objects: Objects, org: OrganizationId, item: Item): Promise<ControlVersion> {
  const { content, ...rest } = ControlVersionItem.parse(item);
  return { ...rest, content: await readContent(objects, org, content) };
}

/** A version that cannot be read. The list shows a placeholder (rules/lists.md#unreadable-records). */
export interface UnreadableVersion {
  version: number;
  unreadable: unknown;
}

/** Reads the versions of an existing control with numbers in a range, newest first. */
export async function readControlVersions(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  { identifier }: ControlHead,
  { from, to }: { from: number; to: number },
): Promise<(ControlVersion | UnreadableVersion)[]> {
  // DynamoDB refuses a range whose bounds are in the wrong order.
  if (from > to) return [];
  const { pk, sk } = controlVersionKey(org, identifier, from);
  const range = { pk, from: sk, to: controlVersionKey(org, identifier, to).sk };
  const items = await table.query({ ...range, newestFirst: true });
  return Promise.all(
    items.map((item, i) =>
      readVersion(objects, org, item).catch((unreadable: unknown) => ({ version: to - i, unreadable })),
    ),
  );
}

const ERASED: ControlContent = { name: '', description: null, links: {} };

/** Reads the content of a control. Erased content is empty (rules/controls.md#erased-content). */
async function readContent(objects: Objects, org: OrganizationId, body: StoredBody): Promise<ControlContent> {
  const text = await readBody(objects, org, body);
  return text === null ? ERASED : ControlContent.parse(JSON.parse(text));
}

/** Finds the controls that have tags, as {@link findTagged}. */
export const findControlsByTags = (table: Table, org: OrganizationId, tags: readonly string[]) =>
  findTagged(table, tags, {
    partitions: (name) => [controlTagPartition(org, name)],
    prefix: (name, value) => controlTagKey(org, name, value, '').sk,
  });
