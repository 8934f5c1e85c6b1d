import type { CallingUser, Request } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import type { FindOwner, KeyOwner } from '#shared/organizations/manage-keys.ts';
import { stampOf } from '#shared/organizations/records/audit.ts';
import type { Principal } from '#shared/organizations/records/directory-records.ts';
import { personalLog } from '#shared/organizations/records/personal-log.ts';

/** The user who calls: service accounts do not, since their organizations manage their keys. */
export const callingUser = ({ kind, id, name }: CallingUser): Principal => ({ kind, id, name });

/** The calling user as an owner of personal keys: they work in every organization of the user, and belong to none. */
export const personalKeyOwner =
  (
    { caller, receivedAt }: Pick<Request, 'receivedAt'> & { caller: CallingUser },
    { table }: Pick<Services, 'table'>,
  ): FindOwner =>
  async (): Promise<KeyOwner> => {
    const principal = callingUser(caller);
    const audited = await personalLog(table, principal.name, stampOf(caller, receivedAt));
    return { principal, audited, guard: [] };
  };
