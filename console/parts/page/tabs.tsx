import { useLayoutEffect, useRef } from 'react';
import type { PageName } from '#shared/console/pages.ts';
import type { ParamsOf } from '../../routes/params.ts';
import type { LinkSearch } from '../../routes/target.ts';
import { PageLink } from '../link/link.tsx';
import styles from './tabs.module.css';

interface Tab<N extends PageName> {
  label: string;
  count?: number | undefined;
  page: N;
  params: ParamsOf<N>;
  search?: LinkSearch;
  isCurrent: boolean;
}

interface TabsProps<N extends PageName> {
  label: string;
  tabs: readonly Tab<N>[];
}

/**
 * Views of one subject. Each is a link, so that its address can be shared. They stand in one line; where the window is too narrow
 * for it, the line is scrolled, and begins with the current view in sight.
 */
export function Tabs<N extends PageName>({ label, tabs }: TabsProps<N>) {
  const line = useRef<HTMLElement>(null);
  const current = tabs.find(({ isCurrent }) => isCurrent)?.label;
  useLayoutEffect(() => {
    const shown = current === undefined ? null : line.current?.querySelector<HTMLElement>('[aria-current]');
    if (line.current && shown) line.current.scrollLeft = shown.offsetLeft - line.current.clientWidth / 3;
  }, [current]);
  return (
    <nav className={styles['tabs']} aria-label={label} ref={line} data-scrolls="">
      {tabs.map((tab) => (
        <PageLink
          key={tab.label}
          page={tab.page}
          params={tab.params}
          search={tab.search ?? {}}
          className={styles['tab']}
          aria-current={tab.isCurrent ? 'page' : undefined}
          keepPlace
          replace
        >
          {tab.label}
          {tab.count !== undefined && <span className={styles['count']}> {tab.count.toLocaleString('en')}</span>}
        </PageLink>
      ))}
    </nav>
  );
}
