import type { CallingUser } from '#shared/callers/caller.ts';
import type { Request } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { latestEndFor } from '#shared/organizations/key-ends.ts';
import type { FindOwner, KeyOwner } from '#shared/organizations/manage-keys.ts';
import { stampOf } from '#shared/organizations/records/audit.ts';
import type { Principal } from '#shared/organizations/records/directory-records.ts';
import { personalLog } from '#shared/organizations/records/personal-log.ts';

/** Returns the calling user as the principal of personal keys. Service accounts have no personal keys. */
export const callingUser = ({ kind, id, name }: CallingUser): Principal => ({ kind, id, name });

/** Returns a function that finds the calling user as an owner of keys. Personal keys belong to no organization, so there is no condition on one. */
export const personalKeyOwner =
  (
    { caller, credential, receivedAt }: Pick<Request, 'credential' | 'receivedAt'> & { caller: CallingUser },
    { table }: Pick<Services, 'table'>,
  ): FindOwner =>
  async (): Promise<KeyOwner> => {
    const principal = callingUser(caller);
    const audited = await personalLog(table, principal.name, stampOf(caller, receivedAt));
    return { principal, audited, guard: [], latestEnd: latestEndFor(credential, receivedAt) };
  };
