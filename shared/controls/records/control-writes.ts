import { isDeepStrictEqual } from 'node:util';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { after, type Micros } from '#shared/base/time.ts';
import { type PreparedBody, prepareBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import { putIfAbsent, type Write } from '#shared/table/table.ts';
import type { ControlContent, ControlHead, ControlStatus } from './controls.ts';
import { controlHeadKey, controlVersionKey } from './keys.ts';

/** Who changes a control, and when. */
export interface ControlStamp {
  at: Micros;
  by: string;
}

export const sameControl = (one: ControlContent, other: ControlContent): boolean => isDeepStrictEqual(one, other);

export const prepareControl = (
  objects: Objects,
  org: OrganizationId,
  identifier: string,
  content: ControlContent,
): PreparedBody => prepareBody(objects, org, JSON.stringify(content), `control:${identifier}`);

/**
 * The writes that make a control with its first version.
 * @param taken what it means that a control has the identifier, an archived one perhaps (semantics §7.1)
 */
export function newControlWrites<R>(
  org: OrganizationId,
  identifier: string,
  content: ControlContent,
  body: PreparedBody,
  { at, by }: ControlStamp,
  taken: () => R,
): { head: ControlHead; writes: Write<R>[] } {
  const head: ControlHead = {
    ...{ id: newId(at), identifier, created: at, by, modified: at, archived: false, version: 1, content: body.body },
  };
  return {
    head,
    writes: [
      putIfAbsent({ ...controlHeadKey(org, identifier), v: 1, ...head }, taken),
      versionWrite(org, head, 'created', by),
      entryWrite(org, head, content),
      ...body.writes,
    ],
  };
}

/**
 * The writes that add a version to a control: what it says changed, or it was archived or taken back.
 * @param again what it means that another writer was first
 */
export function nextControlWrites<R>(
  org: OrganizationId,
  before: ControlHead,
  change: { status: Exclude<ControlStatus, 'created'>; content: ControlContent; body?: PreparedBody },
  { at: now, by }: ControlStamp,
  again: () => R,
): { head: ControlHead; writes: Write<R>[] } {
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
    writes: [
      {
        put: { ...controlHeadKey(org, head.identifier), v: 1, ...head },
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': before.version },
        refused: again,
      },
      versionWrite(org, head, status, by),
      entryWrite(org, head, content),
      ...(body?.writes ?? []),
    ],
  };
}

/** Under the guard of the head: whoever writes the head writes this version, and no other. */
const versionWrite = (org: OrganizationId, head: ControlHead, status: ControlStatus, by: string): Write => ({
  put: {
    ...controlVersionKey(org, head.identifier, head.version),
    ...{ v: 1, version: head.version, status, archived: head.archived, at: head.modified, by, content: head.content },
  },
});

/** What the list filters and sorts by. */
const entryWrite = (org: OrganizationId, { id, identifier, archived }: ControlHead, { name }: ControlContent): Write =>
  catalogueWrite(org, 'control', id, { n: name, i: identifier, a: archived });
