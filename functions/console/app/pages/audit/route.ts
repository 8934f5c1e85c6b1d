import { auditEntries } from '../../client/access.ts';
import { read } from '../../client/query-client.ts';
import { SUBJECTS } from '../../model/audit.ts';
import { oneOf, type SearchOf, text, time } from '../../model/search-params.ts';
import { route } from '../route.ts';

const kind = oneOf(...SUBJECTS);
const search = { kind, actor: text, from: time, to: time, cursor: text };
export type AuditSearch = SearchOf<typeof search>;

export const readEntries = (org: string, { kind: subject, actor, from, to, cursor }: AuditSearch) =>
  read(
    auditEntries,
    { org },
    {
      per_page: 50,
      ...(subject !== undefined && { kind: subject }),
      ...(actor !== undefined && { actor }),
      ...(from !== undefined && { start_ts: from }),
      ...(to !== undefined && { end_ts: to }),
      ...(cursor !== undefined && { cursor }),
    },
  );

export const auditRoute = route({
  name: 'audit',
  search,
  reads: ({ org }, given) => [readEntries(org, given)],
});
