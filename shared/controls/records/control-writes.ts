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
import { CONTROLS } from '../rules/series-kinds.ts';
import { type ControlContent, type ControlHead, SHOWN_CONTROL, SHOWN_VERSION } from './controls.ts';
import { controlHeadKey, controlVersionKey } from './keys.ts';

/** Time of a change, and name of the caller who made it. */
interface ControlStamp {
  at: Micros;
  by: string;
}

/** A changed control, the writes that store it, and what the audit entry covers of it. */
interface ControlWrites<R> {
  head: ControlHead;
  covers: Cover[];
  writes: Write<R>[];
}

export const sameControl = (one: ControlContent, other: ControlContent): boolean => isDeepStrictEqual(one, other);

/** Prepares the content of a control for storage; the caller uploads it before the transaction. */
export const prepareControl = (
  objects: Objects,
  org: OrganizationId,
  identifier: string,
  content: ControlContent,
): PreparedBody => prepareBody(objects, org, JSON.stringify(content), `control:${identifier}`);

/**
 * Returns the writes that create a control with version 1.
 *
 * @param taken result of the transaction if a control has the identifier, even an archived one
 *   (rules/controls.md#identifier)
 */
export function newControlWrites<R>(
  org: OrganizationId,
  identifier: string,
  content: ControlContent,
  body: PreparedBody,
  { at, by }: ControlStamp,
  taken: () => R,
): ControlWrites<R> {
  const head: ControlHead = {
    id: newId(at),
    identifier,
    created: at,
    by,
    modified: at,
    archived: false,
    version: 1,
    content: body.body,
  };
  return {
    head,
    covers: coversOf(undefined, head, 'created', by),
    writes: [
      putIfAbsent({ ...controlHeadKey(org, identifier), v: 1, ...head }, taken),
      versionWrite(org, head, 'created', by),
      entryWrite(org, head, content),
      ...body.writes,
    ],
  };
}

/**
 * Returns the writes that add a version to a control (rules/controls.md#version-transitions).
 *
 * @param before the head that the caller read; the transaction fails if the control has another version by now
 * @param change the new status, the content after the change, and the stored body if the content is new
 * @param again result of the transaction if another writer was first
 */
export function nextControlWrites<R>(
  org: OrganizationId,
  before: ControlHead,
  change: { status: Exclude<ControlStatus, 'created'>; content: ControlContent; body?: PreparedBody },
  { at: now, by }: ControlStamp,
  again: () => R,
): ControlWrites<R> {
  const { status, content, body } = change;
  const head: ControlHead = {
    ...before,
    modified: after(before.modified, now),
    archived: status === 'archived',
    version: before.version + 1,
    ...(body && { content: body.body }),
  };
  return {
    head,
    covers: coversOf(before, head, status, by),
    writes: [
      {
        put: { ...controlHeadKey(org, head.identifier), v: 1, ...head },
        ...onlyIf(unchanged(before, 'version')),
        refused: again,
      },
      versionWrite(org, head, status, by),
      entryWrite(org, head, content),
      ...(body?.writes ?? []),
    ],
  };
}

/** What the change of a control leaves behind (rules/organizations.md#covers). */
function coversOf(before: ControlHead | undefined, head: ControlHead, status: ControlStatus, by: string): Cover[] {
  const { identifier: control } = head;
  const lineOfHead = (one: ControlHead) => lineOf(SHOWN_CONTROL, one, { control });
  const version = lineOf(SHOWN_VERSION, versionOf(head, status, by), { control });
  return [
    coverOf('controls/control', before && lineOfHead(before), lineOfHead(head)),
    coverOf('controls/version', undefined, version),
  ];
}

const versionOf = ({ version, archived, modified, content }: ControlHead, status: ControlStatus, by: string) => ({
  version,
  status,
  archived,
  at: modified,
  by,
  content,
});

/** Needs no condition of its own: it is in one transaction with the head, whose condition refuses a second writer. */
const versionWrite = (org: OrganizationId, head: ControlHead, status: ControlStatus, by: string): Write => ({
  put: { ...controlVersionKey(org, head.identifier, head.version), v: 1, ...versionOf(head, status, by) },
});

/** Writes the fields by which the list of controls is filtered and sorted. */
const entryWrite = (org: OrganizationId, { id, identifier, archived }: ControlHead, { name }: ControlContent): Write =>
  catalogueWrite(org, CONTROLS, id, { n: name, i: identifier, a: archived });
