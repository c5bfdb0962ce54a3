internal import Threads

@main enum ThreadExerciser {
    static func main() {}
}
