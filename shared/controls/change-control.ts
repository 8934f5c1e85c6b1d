import { isDeepStrictEqual } from 'node:util';
import { again, retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { nextControlWrites, prepareControl, sameControl } from './records/control-writes.ts';
import { type Control, type ControlContent, readControl } from './records/controls.ts';
import { type GivenRequirements, resolveRequirements } from './resolve-requirements.ts';
import type { ControlStatus } from './rules/control-statuses.ts';
import { type Requirements, shownRequirements } from './rules/requirements.ts';
import { controlArchived, unknownControl } from './rules/sentences.ts';

/** A version that is added to a control; null = nothing changes, so none is (rules/controls.md#version-transitions). */
type Change = {
  status: Exclude<ControlStatus, 'created'>;
  content: ControlContent;
  /** Absent = every decision counts. */
  requires: Requirements | undefined;
} | null;

/** What changing a control reads and writes. */
export const CHANGE_CONTROL: Uses = {
  writes: ['CONTROL', 'CATALOGUE', 'BODY', 'AUDIT'],
  bucket: ['bodies:read', 'bodies:write'],
};

/** The fields that an update changes; absent or null = unchanged. */
type ControlUpdate = { readonly [Field in keyof ControlContent]?: ControlContent[Field] | null | undefined } & {
  /** Empty = every decision counts. */
  readonly requires?: GivenRequirements | null | undefined;
};

/**
 * Adds a version with new content, unless nothing differs (rules/controls.md#update).
 *
 * @throws ServiceError `not-found` if the control does not exist, `invalid` if it is archived, or if it names a flow that is not there
 */
export async function updateControl(stores: Stores, by: Author<Control>, identifier: string, update: ControlUpdate) {
  const given = update.requires == null ? null : await resolveRequirements(stores.table, by.org, update.requires);
  return changeControl(stores, by, identifier, ({ head, content: before }) => {
    if (head.archived) throw controlArchived({ control: identifier, org: by.org.name });
    const content = {
      name: update.name ?? before.name,
      description: update.description ?? before.description,
      links: update.links ?? before.links,
    };
    const requires = given === null ? head.requires : given.requires;
    const isSame = sameControl(content, before) && isDeepStrictEqual(requires, head.requires);
    return isSame ? null : { status: 'updated', content, requires };
  });
}

/**
 * Archives a control or makes it active again, with a new version; adds none if the control is so already
 * (rules/controls.md#archive).
 *
 * @throws ServiceError `not-found` if the control does not exist
 */
export const setControlArchived = (stores: Stores, by: Author<Control>, identifier: string, isArchived: boolean) =>
  changeControl(stores, by, identifier, ({ head, content }) =>
    head.archived === isArchived
      ? null
      : { status: isArchived ? 'archived' : 'unarchived', content, requires: head.requires },
  );

/**
 * Reads a control and adds the version that `decide` returns. If another writer was first, it reads and decides again.
 *
 * @returns the control after the change
 */
async function changeControl(
  { table, objects, clock }: Stores,
  by: Author<Control>,
  identifier: string,
  decide: (control: Control) => Change,
): Promise<Control> {
  const { org, caller } = by;
  return retrying(async () => {
    const before = await readControl(table, objects, org.id, identifier);
    if (!before) throw unknownControl({ control: identifier, org: org.name });
    const change = decide(before);
    if (!change) {
      await storeClaim(table, by.claim(before));
      return before;
    }
    const { status, content, requires } = change;
    const isSame = sameControl(content, before.content);
    const body = isSame ? undefined : prepareControl(objects, org.id, identifier, content);
    await body?.upload();
    const version = { status, content, body, requires, at: clock.now(), by: caller.name };
    const next = nextControlWrites(org.id, before.head, version, again);
    const after = { ...before, head: next.head, content };
    const changed = {
      kind: `control.${status}`,
      subject: { type: 'control', id: next.head.id, name: identifier },
      before: { version: before.head.version, ...before.content, ...shownRequirements(before.head) },
      after: { version: next.head.version, ...content, ...shownRequirements(next.head) },
      covers: next.covers,
    } as const;
    const outcome = await table.transact<'again'>([...authored(by, changed, after), ...next.writes]);
    return outcome === 'again' ? outcome : after;
  });
}
