import { useRef } from 'react';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Scroller } from '../parts/table/scroller.tsx';
import { useRowKeys } from '../parts/table/table.tsx';
import { Id } from '../parts/text/id.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { ParamsOf } from '../routes/params.ts';
import { gridOf, type Scope, type Slot } from './model/trail.ts';
import type { Trail } from './operations.ts';
import styles from './trail.module.css';

interface EvidenceProps {
  trail: Trail;
  params: ParamsOf<'trail'>;
}

/** What the template asks for against what there is: a row for each name, a column for the trail and each artifact. */
export function Evidence({ trail, params }: EvidenceProps) {
  const { scopes, rows } = gridOf(trail);
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table);
  if (scopes.length === 0) {
    return (
      <Empty
        sentence="The template of this trail asks for nothing, and nobody reported anything."
        remedy="A template of the flow names the attestations and artifacts that each trail must have."
      />
    );
  }
  return (
    <Scroller className={styles['frame']}>
      <table className={styles['grid']} ref={table}>
        <caption className="visually-hidden">Evidence by name and by what it is about</caption>
        <thead>
          <tr>
            <th scope="col">Evidence</th>
            {scopes.map((scope) => (
              <th key={scope.name ?? ''} scope="col">
                <ScopeHead scope={scope} params={params} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, slots }) => (
            <tr key={name}>
              <th scope="row">
                <Text>{name}</Text>
              </th>
              {slots.map((cell, n) => (
                <td key={scopes[n]?.name ?? ''}>
                  {cell.length === 0 ? (
                    <span className={styles['none']} title="Not asked for">
                      <span aria-hidden="true">·</span>
                      <span className="visually-hidden">not asked for</span>
                    </span>
                  ) : (
                    cell.map((slot) => (
                      <Cell
                        key={`${slot.type} ${slot.state}`}
                        slot={slot}
                        params={params}
                        showsType={cell.length > 1}
                      />
                    ))
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

function ScopeHead({ scope, params }: { scope: Scope; params: ParamsOf<'trail'> }) {
  const { name, fingerprint, missing, unexpected } = scope;
  if (name === null) return <>Trail</>;
  return (
    <>
      {fingerprint === null ? (
        <Text>{name}</Text>
      ) : (
        <PageLink page="artifact" params={{ org: params.org, flow: params.flow, fingerprint }}>
          <Text>{name}</Text>
        </PageLink>
      )}
      <span className={styles['sub']}>
        {missing && <State state="missing">not reported</State>}
        {fingerprint !== null && (
          <Id what={`fingerprint of ${name}`} short>
            {fingerprint}
          </Id>
        )}
        {unexpected && ' not asked for'}
      </span>
    </>
  );
}

function Cell({ slot, params, showsType }: { slot: Slot; params: ParamsOf<'trail'>; showsType: boolean }) {
  const { attestation, state, unexpected, type, at, seals } = slot;
  const content = (
    <>
      <State state={state} />
      {showsType && (
        <span className={styles['extra']}>
          <Text>{type}</Text>
        </span>
      )}
      {at !== null && (
        <span className={styles['extra']}>
          <Time at={at} />
        </span>
      )}
      {seals.map((seal) => (
        <span key={seal} className={styles['extra']}>
          <State state={seal} />
        </span>
      ))}
      {unexpected && <span className={styles['extra']}>not asked for</span>}
    </>
  );
  if (attestation === null) return <span className={styles['cell']}>{content}</span>;
  return (
    <PageLink
      page="trail"
      params={params}
      search={{ attestation_id: attestation }}
      className={styles['cell']}
      keepPlace
      row
    >
      {content}
    </PageLink>
  );
}
