import { isDeepStrictEqual } from 'node:util';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { after, type Micros } from '#shared/base/time.ts';
import { type PreparedBody, prepareBody } from '#shared/bodies/bodies.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import { onlyIf, unchanged } from '#shared/table/expressions.ts';
import { putIfAbsent, type Write } from '#shared/table/table.ts';
import type { ControlStatus } from '../rules/control-statuses.ts';
import type { Requirements } from '../rules/requirements.ts';
import { CONTROLS } from '../rules/series-kinds.ts';
import { type ControlContent, type ControlHead, SHOWN_CONTROL, SHOWN_VERSION } from './controls.ts';
import { controlHeadKey, controlVersionKey } from './keys.ts';

export const sameControl = (one: ControlContent, other: ControlContent): boolean => isDeepStrictEqual(one, other);

/** Prepares the content of a control for storage; the caller uploads it before the transaction. */
export const prepareControl = (objects: Objects, org: OrganizationId, identifier: string, content: ControlContent) =>
  prepareBody(objects, org, JSON.stringify(content), `control:${identifier}`);

/** A version that is added to a control. */
interface AddedVersion {
  status: ControlStatus;
  content: ControlContent;
  /** The stored content; absent if it is that of the version before. */
  body?: PreparedBody | undefined;
  /** Absent = every decision counts. */
  requires: Requirements | undefined;
  at: Micros;
  /** Name of the caller. */
  by: string;
}

/** Returns the head of a new control with version 1, and its writes as {@link nextControlWrites} does. */
export function newControlWrites<R>(
  org: OrganizationId,
  identifier: string,
  added: AddedVersion & { body: PreparedBody },
  taken: () => R,
) {
  const { at, by, body, requires } = added;
  const head: ControlHead = {
    id: newId(at),
    identifier,
    created: at,
    by,
    modified: at,
    archived: false,
    version: 1,
    content: body.body,
    ...(requires && { requires }),
  };
  return controlWrites(org, undefined, head, added, taken);
}

/**
 * Adds a version to a control (rules/controls.md#version-transitions).
 *
 * @param before the head that the caller read; the transaction fails if the control has another version by now
 * @param again result of the transaction if another writer was first
 * @returns the new head, the writes that store it, and what the audit entry covers of them
 */
export function nextControlWrites<R>(org: OrganizationId, before: ControlHead, added: AddedVersion, again: () => R) {
  const { requires: _, ...kept } = before;
  const head: ControlHead = {
    ...kept,
    modified: after(before.modified, added.at),
    archived: added.status === 'archived',
    version: before.version + 1,
    ...(added.body && { content: added.body.body }),
    ...(added.requires && { requires: added.requires }),
  };
  return controlWrites(org, before, head, added, again);
}

/** The version needs no condition of its own: the condition of the head refuses a second writer. */
function controlWrites<R>(
  org: OrganizationId,
  before: ControlHead | undefined,
  head: ControlHead,
  { status, content: { name }, body, by }: AddedVersion,
  refused: () => R,
): { head: ControlHead; covers: Cover[]; writes: Write<R>[] } {
  const { identifier, version, archived, modified: at, content, requires } = head;
  const item = { ...controlHeadKey(org, identifier), v: 1, ...head };
  const added = { version, status, archived, at, by, content, ...(requires && { requires }) };
  const line = (one: ControlHead) => lineOf(SHOWN_CONTROL, one, { control: identifier });
  return {
    head,
    covers: [
      coverOf('controls/control', before && line(before), line(head)),
      coverOf('controls/version', undefined, lineOf(SHOWN_VERSION, added, { control: identifier })),
    ],
    writes: [
      before ? { put: item, ...onlyIf(unchanged(before, 'version')), refused } : putIfAbsent(item, refused),
      { put: { ...controlVersionKey(org, identifier, version), v: 1, ...added } },
      catalogueWrite(org, CONTROLS, head.id, { n: name, i: identifier, a: archived }),
      ...(body?.writes ?? []),
    ],
  };
}
