import type { CallOptions, Requests } from './requests.js';
import { segment } from './segment.js';
import type {
  CanvasGraph,
  CanvasGroup,
  CanvasNode,
  Connection,
  ConnectionOptions,
  GroupOptions,
  LayoutOptions,
  LayoutTree,
  PlaceOptions,
  Profile,
  ProfileOptions,
  SessionAnswer,
  SettingsAnswer,
  SettingsChange,
} from './types.js';

/** Profiles, by which terminals are created. */
export class Profiles {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  async list(call: CallOptions = {}): Promise<Profile[]> {
    return (await this.#requests.get<{ profiles: Profile[] }>('/api/profiles', call)).profiles;
  }

  get(id: string, call: CallOptions = {}): Promise<Profile> {
    return this.#requests.get(`/api/profiles/${segment(id)}`, call);
  }

  /** Resolves with the id of the new profile. */
  async create(profile: ProfileOptions, call: CallOptions = {}): Promise<string> {
    return (await this.#requests.post<{ id: string }>('/api/profiles', { ...call, body: profile })).id;
  }

  async replace(id: string, profile: ProfileOptions, call: CallOptions = {}): Promise<void> {
    await this.#requests.json('PUT', `/api/profiles/${segment(id)}`, { ...call, body: profile });
  }

  async delete(id: string, call: CallOptions = {}): Promise<void> {
    await this.#requests.json('DELETE', `/api/profiles/${segment(id)}`, call);
  }
}

/** Tabs and panes, in which user interfaces show the terminals. */
export class Layout {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  get(call: CallOptions = {}): Promise<LayoutTree> {
    return this.#requests.get('/api/layout', call);
  }

  /** Resolves with the terminals of the layout that do not run; their panes were left out. */
  async replace(layout: LayoutOptions, call: CallOptions = {}): Promise<string[]> {
    const answer = { ...call, body: layout };
    return (await this.#requests.post<{ missing: string[] }>('/api/layout', answer)).missing;
  }
}

/** The canvas: terminals and the connections between them. */
export class Canvas {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  graph(call: CallOptions = {}): Promise<CanvasGraph> {
    return this.#requests.get('/api/canvas/graph', call);
  }

  connect(connection: ConnectionOptions, call: CallOptions = {}): Promise<Connection> {
    return this.#requests.post('/api/canvas/edges', { ...call, body: connection });
  }

  /** Sets the label of a connection; null clears it. */
  label(id: string, label: string | null, call: CallOptions = {}): Promise<Connection> {
    return this.#requests.json('PATCH', `/api/canvas/edges/${segment(id)}`, {
      ...call,
      body: { label },
    });
  }

  async disconnect(id: string, call: CallOptions = {}): Promise<void> {
    await this.#requests.json('DELETE', `/api/canvas/edges/${segment(id)}`, call);
  }

  /** Moves, resizes or groups the node of a running terminal; fields that are absent stay as they are. */
  place(terminalId: string, place: PlaceOptions, call: CallOptions = {}): Promise<CanvasNode> {
    const path = `/api/canvas/nodes/${segment(terminalId)}`;
    return this.#requests.json('PUT', path, { ...call, body: place });
  }

  addGroup(group: GroupOptions, call: CallOptions = {}): Promise<CanvasGroup> {
    return this.#requests.post('/api/canvas/groups', { ...call, body: group });
  }

  /** Fields that are absent stay as they are. */
  changeGroup(id: string, change: Partial<GroupOptions>, call: CallOptions = {}): Promise<CanvasGroup> {
    const path = `/api/canvas/groups/${segment(id)}`;
    return this.#requests.json('PATCH', path, { ...call, body: change });
  }

  /** Its nodes stay where they are, in no group. */
  async deleteGroup(id: string, call: CallOptions = {}): Promise<void> {
    await this.#requests.json('DELETE', `/api/canvas/groups/${segment(id)}`, call);
  }
}

/** The settings of the service. */
export class Settings {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** With `reveal`, the answer has the token. */
  get({ reveal, signal }: { reveal?: boolean } & CallOptions = {}): Promise<SettingsAnswer> {
    return this.#requests.get('/api/settings', { query: { reveal }, signal });
  }

  change(settings: SettingsChange, call: CallOptions = {}): Promise<SettingsAnswer> {
    return this.#requests.json('PATCH', '/api/settings', { ...call, body: settings });
  }

  /** Resolves with a new token; the old token is then invalid. */
  async rotateToken(call: CallOptions = {}): Promise<string> {
    return (await this.#requests.post<{ authToken: string }>('/api/settings/token/rotate', call)).authToken;
  }
}

/** The login of a page of the dashboard. The browser keeps the cookie of the session. */
export class Session {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Resolves with whether a session is needed, and whether this page has one. */
  get(call: CallOptions = {}): Promise<SessionAnswer> {
    return this.#requests.get('/session', call);
  }

  /** Begins a session; does nothing where none is needed. */
  async begin(token: string, call: CallOptions = {}): Promise<void> {
    await this.#requests.text('POST', '/session', { ...call, body: { token } });
  }

  async end(call: CallOptions = {}): Promise<void> {
    await this.#requests.json('DELETE', '/session', call);
  }
}
