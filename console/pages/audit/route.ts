import { auditEntries } from '../../client/access.ts';
import { read } from '../../client/query-client.ts';
import { SUBJECTS } from '../../model/audit.ts';
import { day, daysPeriod, oneOf, type SearchOf, text } from '../../model/search-params.ts';
import { route } from '../route.ts';

const kind = oneOf(...SUBJECTS);
const search = { kind, actor: text, from: day, to: day, cursor: text };
export type AuditSearch = SearchOf<typeof search>;

export const readEntries = (org: string, { kind: subject, actor, from, to, cursor }: AuditSearch) =>
  read(
    auditEntries,
    { org },
    {
      per_page: 50,
      ...(subject !== undefined && { kind: subject }),
      ...(actor !== undefined && { actor }),
      ...daysPeriod({ from, to }),
      ...(cursor !== undefined && { cursor }),
    },
  );

export const auditRoute = route({
  name: 'audit',
  search,
  reads: ({ org }, given) => [readEntries(org, given)],
});
