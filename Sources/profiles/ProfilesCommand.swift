@main struct ProfilesCommand { static func main() {} }
