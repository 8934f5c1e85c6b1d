import { useLayoutEffect, useRef, useState } from 'react';
import styles from './table.module.css';

interface ScrollerProps {
  className: string | undefined;
  children: React.ReactNode;
}

/** A frame around something that can be wider than its place. It is then scrolled sideways, and says so below. */
export function Scroller({ className, children }: ScrollerProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [isScrolled, setScrolled] = useState(false);
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return;
    const measure = () => setScrolled(current.scrollWidth > current.clientWidth + 1);
    const observer = new ResizeObserver(measure);
    for (const one of [current, ...current.children]) observer.observe(one);
    measure();
    return () => observer.disconnect();
  }, []);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached with the keyboard */}
      <div className={className} ref={frame} tabIndex={0} data-scrolls={isScrolled ? '' : undefined}>
        {children}
      </div>
      {isScrolled && <p className={styles['more']}>Scroll it sideways to see the rest.</p>}
    </>
  );
}
