import { useAnswer } from '../client/live.ts';
import { OutLink } from '../parts/link/link.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { Pager } from '../parts/table/pager.tsx';
import { Table } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { ControlHead } from './control-head.tsx';
import { readVersions } from './reads.ts';
import type { controlVersionsRoute } from './routes.ts';

type Props = PageProps<typeof controlVersionsRoute>;

/** The versions of a control: what it said when. */
export default function ControlVersionsPage({ params, search }: Props) {
  return (
    <>
      <ControlHead params={params} current="control-versions" />
      <Panel title="Versions" note="the newest first, each with the full text of its time" rows={4}>
        <List params={params} search={search} />
      </Panel>
    </>
  );
}

function List({ params, search }: Props) {
  const answer = useAnswer(readVersions(params, search.page));
  const { versions, page, per_page, total_count: total, total_pages: page_count } = answer;
  return (
    <>
      <Table
        caption="Versions of the control"
        rows={versions}
        keyOf={({ version }) => String(version)}
        isUnreadable={({ unreadable }) => unreadable === true}
        columns={[
          { head: 'Version', fit: true, cell: ({ version }) => `v${version}` },
          {
            head: 'Change',
            fit: true,
            cell: ({ status, archived }) => (archived && status !== 'archived' ? `${status}, archived` : status),
          },
          { head: 'Name', cell: ({ name }) => <Text>{name}</Text> },
          { head: 'Description', cell: ({ description }) => <Text lines>{description || '–'}</Text> },
          {
            head: 'Links',
            cell: ({ links }) =>
              Object.keys(links).length === 0
                ? '–'
                : Object.entries(links).map(([label, href]) => (
                    <div key={label}>
                      <OutLink href={href}>{label}</OutLink>
                    </div>
                  )),
          },
          { head: 'When', fit: true, cell: ({ created_at: at }) => <Time at={at} /> },
          { head: 'By', fit: true, cell: ({ created_by: by }) => <Text>{by}</Text> },
        ]}
      />
      <Pager pagination={{ page, per_page, total, page_count }} page="control-versions" params={params} />
      <Raw value={answer} path={`/controls/${params.org}/${params.control}/versions`} />
    </>
  );
}
