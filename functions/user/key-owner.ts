import type { FindOwner, KeyOwner } from '#shared/api-keys/manage.ts';
import type { Request } from '#shared/http/endpoint.ts';
import { permissionDenied } from '#shared/http/sentences.ts';
import type { Services } from '#shared/services.ts';
import { stampOf } from '#shared/store/audit.ts';
import type { Principal } from '#shared/store/directory-records.ts';
import { personalLog } from '#shared/store/personal-log.ts';

type Asked = Pick<Request, 'caller' | 'receivedAt'>;

/** The user who calls. @throws ApiError 403 for service accounts, whose keys their organizations manage */
export function callingUser({ kind, id, name }: Asked['caller']): Principal {
  if (kind !== 'user') throw permissionDenied();
  return { kind, id, name };
}

/** The calling user as an owner of personal keys: they work in every organization of the user, and belong to none. */
export const personalKeyOwner =
  ({ caller, receivedAt }: Asked, { table }: Pick<Services, 'table'>): FindOwner =>
  async (): Promise<KeyOwner> => {
    const principal = callingUser(caller);
    const audited = await personalLog(table, principal.name, stampOf(caller, receivedAt));
    return { principal, audited, guard: [] };
  };
