import { PageLink } from '../parts/link/link.tsx';
import styles from './control.module.css';
import type { Coverage } from './operations.ts';

interface CoverageBarProps {
  params: { org: string; control: string };
  coverage: Pick<Coverage, 'total' | 'covered' | 'coverage_percent'>;
}

/** Share of the environments that the control covers. Each number leads to the environments that it counts. */
export const CoverageBar = ({ params, coverage: { total, covered, coverage_percent: percent } }: CoverageBarProps) => (
  <div className={styles['coverage']}>
    <svg className={styles['bar']} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect className={styles['ground']} width="100" height="1" />
      <rect className={styles['covered']} width={percent} height="1" />
    </svg>
    <p>
      <PageLink page="control-coverage" params={params} search={{ covered: 'true' }}>
        {covered} covered
      </PageLink>
      {', '}
      <PageLink page="control-coverage" params={params} search={{ covered: 'false' }}>
        {total - covered} not
      </PageLink>{' '}
      <span className={styles['quiet']}>
        ({Math.round(percent)} % of {total})
      </span>
    </p>
  </div>
);
