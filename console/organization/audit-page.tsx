import { useRef } from 'react';
import { useAnswer } from '../client/live.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { CursorPager } from '../parts/table/cursor-pager.tsx';
import { DayFilter, Filters, SelectFilter } from '../parts/table/filters.tsx';
import { useRowKeys } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import type { PageProps } from '../routes/route.ts';
import styles from './audit.module.css';
import { Entry } from './audit-entry.tsx';
import { auditSentence, SUBJECTS, words } from './model/audit.ts';
import { type auditRoute, readEntries } from './routes.ts';

/** Who changed what in the organization, and when. */
export default function AuditPage({ params, search }: PageProps<typeof auditRoute>) {
  const { org } = params;
  const answer = useAnswer(readEntries(org, search));
  const { entries, next_cursor: next } = answer;
  const { cursor, ...filters } = search;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const list = useRef<HTMLOListElement>(null);
  useRowKeys(list);
  return (
    <>
      <VerdictLine
        subject="Audit log"
        context={org}
        sentence={<Text>{auditSentence(entries, next !== null || cursor !== undefined, isFiltered)}</Text>}
        facts={[
          'changes of settings, people and keys; evidence has its own history',
          ...(search.actor === undefined
            ? []
            : [
                <span key="actor">
                  only by <Text>{search.actor}</Text> (
                  <PageLink page="audit" params={params} search={{ ...filters, actor: undefined }} keepPlace>
                    clear
                  </PageLink>
                  )
                </span>,
              ]),
        ]}
      />
      <Filters label="Filter the audit log">
        <SelectFilter
          label="Subject"
          name="kind"
          value={search.kind}
          options={SUBJECTS.map((subject) => [subject, words(subject)] as const)}
        />
        <DayFilter label="From" name="from" value={search.from} />
        <DayFilter label="To" name="to" value={search.to} />
      </Filters>
      {entries.length === 0 ? (
        <Empty sentence={auditSentence(entries, next !== null, isFiltered)} />
      ) : (
        <ol className={styles['list']} ref={list}>
          {entries.map((entry) => (
            <Entry key={entry.id} org={org} entry={entry} filters={filters} />
          ))}
        </ol>
      )}
      <CursorPager next={next} page="audit" params={params} search={search} />
      <Raw value={answer} path={`/audit/${org}?per_page=50`} />
    </>
  );
}
