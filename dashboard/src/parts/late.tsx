import { Component, type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';
import { useFleet } from '../fleet/fleet-store.js';
import { say } from './toasts.js';

interface MissingProps {
  /** Whether the service answers. Once it does again, drawing is tried again. */
  isServed: boolean;
  onMissing: (() => void) | undefined;
  children: ReactNode;
}

/** Draws nothing in place of a part that has failed, and says so. */
class Missing extends Component<MissingProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidCatch(): void {
    say('A part of this page could not be loaded. Load the page again if that goes on', true);
    this.props.onMissing?.();
  }

  override componentDidUpdate({ isServed }: MissingProps): void {
    if (this.state.hasFailed && this.props.isServed && !isServed) this.setState({ hasFailed: false });
  }

  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children;
  }
}

/**
 * Returns a part of a page whose code is loaded when the part is drawn first. While the service restarts, and after an
 * upgrade that has replaced the files, the code cannot be loaded: then only the part is missing, and its `onClose` is
 * called.
 *
 * @param load - loads the code
 */
export function late<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> {
  function Try(props: Props) {
    // Made for each try: a lazy part keeps its first failure.
    const [Part] = useState(() => lazy(load) as ComponentType<Props>);
    return (
      <Suspense>
        <Part {...props} />
      </Suspense>
    );
  }
  return function Late(props: Props) {
    const isServed = useFleet(({ link }) => link === 'healthy');
    const { onClose } = props as { onClose?: () => void };
    return (
      <Missing isServed={isServed} onMissing={onClose}>
        <Try {...props} />
      </Missing>
    );
  };
}
