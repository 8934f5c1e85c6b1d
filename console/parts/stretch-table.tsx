import { duration } from '../model/time.ts';
import { Button } from './button.tsx';
import { State } from './state.tsx';
import { Table } from './table.tsx';
import { Time } from './time.tsx';
import type { Stretch } from './timeline.tsx';

/** The stretches of a timeline as rows. */
export const StretchTable = ({ label, stretches }: { label: string; stretches: readonly Stretch[] }) => (
  <Table
    caption={label}
    rows={stretches}
    keyOf={({ key }) => key}
    columns={[
      {
        head: 'What',
        cell: ({ label: text, open }) =>
          open ? (
            <Button look="plain" onClick={open}>
              {text}
            </Button>
          ) : (
            text
          ),
      },
      { head: 'State', fit: true, cell: ({ state }) => <State state={state} /> },
      { head: 'From', fit: true, cell: ({ from }) => <Time at={from} /> },
      { head: 'To', fit: true, cell: ({ to }) => <Time at={to} /> },
      { head: 'For', fit: true, align: 'end', cell: ({ from, to }) => duration(to - from) },
    ]}
  />
);
