import { done } from '../main'

export default async function Page() {
  await done
  return <p>tea</p>
}
