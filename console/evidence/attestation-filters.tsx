import { useQuery } from '@tanstack/react-query';
import { allOf } from '../model/pages.ts';
import { Icon } from '../parts/control/icons.tsx';
import { DayFilter, Filters, SelectFilter } from '../parts/table/filters.tsx';
import { TextFilter } from '../parts/table/text-filter.tsx';
import styles from './attestation-filters.module.css';
import { BUILT_IN_TYPES } from './model/attestation-list.ts';
import { type AttestationSearch, readFlowNames, readTypeNames } from './routes.ts';

const RESULTS = [
  ['compliant', 'Compliant'],
  ['non-compliant', 'Not compliant'],
] as const;

/** What is missing of evidence of a lesser grade. */
const BELOW = [
  ['signed', 'Less than signed'],
  ['logged', 'Less than signed, time proved'],
  ['identified', 'Less than identified'],
] as const;

/** Filters of the list. A trail is found together with its flow only. */
export function AttestationFilters({ org, search }: { org: string; search: AttestationSearch }) {
  const flows = useQuery(readFlowNames(org)).data;
  const types = useQuery(readTypeNames(org)).data ?? [];
  const { type, flow, trail, fingerprint, name, by, control, result, below, from, to } = search;
  const isSearched = [trail, by, control, fingerprint, from, to].some((value) => value !== undefined);
  return (
    <Filters label="Filter the attestations">
      <TextFilter label="Name" name="name" value={name ?? ''} />
      <TextFilter
        label="Type"
        name="type"
        value={type ?? ''}
        suggestions={[...BUILT_IN_TYPES, ...types.map((one) => `custom:${one.name}`)]}
      />
      <TextFilter
        label="Flow"
        name="flow"
        value={flow ?? ''}
        suggestions={flows ? allOf(flows, 'data').map((one) => one.name) : []}
      />
      <SelectFilter label="Result" name="result" value={result} options={RESULTS} />
      <SelectFilter label="Seal" name="below" value={below} options={BELOW} />
      <details className={styles['more']} open={isSearched}>
        <summary>
          More filters <Icon name="down" />
        </summary>
        <div className={styles['fields']}>
          {flow !== undefined && <TextFilter label="Trail" name="trail" value={trail ?? ''} />}
          <TextFilter label="Reported by" name="by" value={by ?? ''} />
          <TextFilter label="Control" name="control" value={control ?? ''} />
          <TextFilter label="Fingerprint" name="fingerprint" value={fingerprint ?? ''} />
          <DayFilter label="From" name="from" value={from} />
          <DayFilter label="To" name="to" value={to} />
        </div>
      </details>
    </Filters>
  );
}
