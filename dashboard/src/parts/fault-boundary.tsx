import { Component, type ReactNode } from 'react';
import { wordsOf } from '../service.js';

interface FaultBoundaryProps {
  /** Address of the page: when it changes, drawing is tried again. */
  path?: string;
  children: ReactNode;
}

interface Fault {
  error: unknown;
}

/** Replaces a failed part of the page by a note. Without it, React would empty the whole page. */
export class FaultBoundary extends Component<FaultBoundaryProps, { fault: Fault | undefined }> {
  override state = { fault: undefined as Fault | undefined };

  static getDerivedStateFromError(error: unknown) {
    return { fault: { error } };
  }

  override componentDidUpdate({ path }: FaultBoundaryProps): void {
    if (this.state.fault && path !== this.props.path) this.setState({ fault: undefined });
  }

  override render(): ReactNode {
    const { fault } = this.state;
    if (!fault) return this.props.children;
    return (
      <main className="empty" role="alert">
        <h1>This page has failed</h1>
        <p>{wordsOf(fault.error)}</p>
        <p>The terminals are not affected.</p>
        <button type="button" onClick={() => location.reload()}>
          Load it again
        </button>
      </main>
    );
  }
}
