import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import {
  type ControlVersion,
  readControlHead,
  readControlVersion,
  readControlVersions,
  type UnreadableVersion,
} from './records/controls.ts';
import { controlOrVersionNotFound, unknownControl } from './rules/sentences.ts';

export type { ControlVersion };

/**
 * Reads one version of a control (rules/controls.md#version-record).
 *
 * @throws ServiceError `not-found` if there is no such control or version
 */
export async function getControlVersion(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  identifier: string,
  number: number,
): Promise<ControlVersion> {
  const version = await readControlVersion(table, objects, org.id, identifier, number);
  if (!version) throw controlOrVersionNotFound();
  return version;
}

/**
 * Reads a page of the versions of a control, newest first (rules/controls.md#list-of-versions).
 *
 * @param page pages begin with 1
 * @throws ServiceError `not-found` if there is no such control
 */
export async function listControlVersions(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  identifier: string,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ total: number; versions: (ControlVersion | UnreadableVersion)[] }> {
  const head = await readControlHead(table, org.id, identifier);
  if (!head) throw unknownControl({ control: identifier, org: org.name });
  const to = head.version - (page - 1) * perPage;
  const from = Math.max(1, to - perPage + 1);
  return { total: head.version, versions: await readControlVersions(table, objects, org.id, head, { from, to }) };
}
